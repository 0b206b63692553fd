"""A terminal for the test: lines in, screens out. w BASE64 writes, r WIDTH HEIGHT resizes, s asks."""

import base64
import json
import sys

import pyte

screen = pyte.Screen(80, 24)
stream = pyte.ByteStream(screen)
for line in sys.stdin:
    verb, *arguments = line.split()
    if verb == "w":
        stream.feed(base64.b64decode(arguments[0]))
    elif verb == "r":
        screen.resize(int(arguments[1]), int(arguments[0]))
    else:
        rows = [[list(screen.buffer[y][x]) for x in range(screen.columns)] for y in range(screen.lines)]
        cursor = None if screen.cursor.hidden else [screen.cursor.x, screen.cursor.y]
        print(json.dumps([json.dumps(row) for row in rows + [cursor]]), flush=True)
