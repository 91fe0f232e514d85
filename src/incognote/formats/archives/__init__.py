"""Archives: zip, tar, gzip and the files in them."""
