"""What a run writes: files, the manifest, the quarantine list; what an earlier run left."""
