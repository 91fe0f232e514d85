"""What somebody with the output, the source code and no key can find out."""
