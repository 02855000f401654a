"""Expands JSON-LD that fixes offer, and complains about what vanishes in the expansion.

Reads a list of [name, text] pairs from the standard input. The context is made of the terms of schema.org
that rdflib ships, without `@vocab`: a property or a type that schema.org does not have is dropped.
"""

import json
import sys
from collections import Counter

from pyld import jsonld
from rdflib.namespace import SDO

VOCABULARY = "https://schema.org/"
TERMS = set(SDO.__annotations__)
CONTEXT = {"@context": {term: VOCABULARY + term for term in TERMS}}
CONTEXT_URLS = {"https://schema.org", "https://schema.org/", "http://schema.org", "http://schema.org/"}


def load(url, _options):
    if url not in CONTEXT_URLS:
        raise ValueError(f"no context at {url}")
    return {"contentType": "application/ld+json", "contextUrl": None, "documentUrl": url, "document": CONTEXT}


def written(value):
    """The properties and types that a document names."""
    found = Counter()
    if isinstance(value, list):
        for item in value:
            found += written(item)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key == "@type":
                found.update([inner] if isinstance(inner, str) else inner)
            elif not key.startswith("@"):
                found[key] += 1
            if key != "@context":
                found += written(inner)
    return found


def expanded(value):
    """The properties and types of schema.org in an expansion."""
    found = Counter()
    if isinstance(value, list):
        for item in value:
            found += expanded(item)
    elif isinstance(value, dict):
        for key, inner in value.items():
            names = inner if key == "@type" else [key]
            found.update(name.removeprefix(VOCABULARY) for name in names if name.startswith(VOCABULARY))
            found += expanded(inner)
    return found


def unknown_values(value):
    """Values that name a member of schema.org that does not exist, such as an availability."""
    if isinstance(value, list):
        return [found for item in value for found in unknown_values(item)]
    if isinstance(value, dict):
        inner = (inner for key, inner in value.items() if key != "@context")
        return [found for item in inner for found in unknown_values(item)]
    is_member = isinstance(value, str) and value.startswith(VOCABULARY)
    return [value] if is_member and value.removeprefix(VOCABULARY) not in TERMS else []


def complaints(text):
    document = json.loads(text)
    result = jsonld.expand(document, {"documentLoader": load, "base": "https://example.com/"})
    lost = written(document) - expanded(result)
    return [*lost, *unknown_values(document)]


def main():
    documents = json.load(sys.stdin)
    wrong = {}
    for name, text in documents:
        if found := complaints(text):
            wrong[name] = found
    # A term that does not exist has to be found, or nothing is proved.
    mistake = '{"@context": "https://schema.org", "@type": "Product", "nome": "A"}'
    assert complaints(mistake) == ["nome"], complaints(mistake)
    for name, found in wrong.items():
        print(f"{name}: {', '.join(found)}")
    print(f"{len(documents)} documents expanded")
    sys.exit(1 if wrong else 0)


main()
