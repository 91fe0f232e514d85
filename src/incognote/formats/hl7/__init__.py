"""HL7 version 2 messages."""
