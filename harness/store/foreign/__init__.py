"""The one way to read what others made: files, trees and tars out of a sandbox, an archive or somebody's folder.

Opened without waiting and through no link, read from the open file and never beyond a limit, plain files only.
"""
