"""The course: a folder a lesson, with scenario files and a text per language. Data only."""
