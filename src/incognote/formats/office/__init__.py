"""Office files: DOCX, XLSX, RTF and their older kin."""
