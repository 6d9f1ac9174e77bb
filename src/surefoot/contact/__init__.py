"""Where it touches."""

from surefoot.contact.contacts import Contacts

__all__ = ["Contacts"]
