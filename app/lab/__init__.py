"""The lab: the lanes of a session seen as setups on one traffic, with goals, figures and pictures.

It shows the same session as the stage does: its lanes are the lab's setups, its requests the lab's
traffic, and the goals are those of the setup that all lanes share. So a point of a picture can be
opened on the stage, and what is changed at either is changed at both.
"""
