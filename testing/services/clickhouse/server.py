"""
Runs ClickHouse's own HTTP server out of libchdb, the only form in which a package registry has a current ClickHouse.

    python3 server.py <libchdb.so> --config-file=<config.xml> --path=<data> --listen_host=<address> --http_port=<port>

The command line of the library is `clickhouse local`, which opens the server's listeners when it is asked to. The last query never
ends, because the process ends with its query. In Python, because Node cannot call a library: the packages that add this to Node
call it on a stack of their own, which ClickHouse takes for an endless recursion.
"""

import ctypes
import sys

START = "SYSTEM START LISTEN HTTP"
WAIT = (
    "SELECT sleepEachRow(1) FROM system.numbers "
    "SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0 FORMAT Null"
)

library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
library.chdb_query_cmdline.restype = ctypes.c_void_p
library.chdb_result_error.argtypes = [ctypes.c_void_p]
library.chdb_result_error.restype = ctypes.c_char_p

arguments = ["clickhouse", *sys.argv[2:], f"--query={START}; {WAIT}"]
encoded = (ctypes.c_char_p * len(arguments))(*[argument.encode() for argument in arguments])
result = library.chdb_query_cmdline(len(arguments), encoded)
error = library.chdb_result_error(result)
sys.exit(error.decode() if error else 1)
