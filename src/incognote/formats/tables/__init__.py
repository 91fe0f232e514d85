"""Tables: CSV, Parquet, VCF."""
