"""incognote inside other people's pipelines: one small module for each library.

    spacy.py         a component: PHI as spans of a Doc
    langchain.py     a document transformer
    llama_index.py   a transformation of nodes
    datasets.py      a function for `Dataset.map`

Each fails closed: a text that cannot be processed raises; it never comes back as it was.
"""
