"""What texts are made of: letters, phrases, offsets, languages, markup."""
