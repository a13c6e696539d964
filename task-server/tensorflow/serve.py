"""Hosts one TensorFlow server: `serve.py SERVER_DEF`, a serialized ServerDef in base64.

Prints one line of JSON, {"target", "version"} or {"code", "message"}, and ends when standard input closes, which it does
when the process that started it is gone.
"""

import base64
import json
import os
import signal
import sys


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides.
    import tensorflow as tf

    server_def = tf.compat.v1.train.ServerDef.FromString(base64.b64decode(sys.argv[1]))
    try:
        server = tf.distribute.Server(server_def)
    except tf.errors.OpError as error:
        print(json.dumps({'code': error.error_code, 'message': error.message}), flush=True)
        os._exit(1)
    print(json.dumps({'target': server.target, 'version': tf.__version__}), flush=True)
    sys.stdin.buffer.read()
    os._exit(0)  # A server cannot be stopped, and waiting for its threads would take for ever.


main()
