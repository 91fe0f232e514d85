"""Words incognote knows: names, places, jobs and clinical vocabulary, compiled from public lists."""
