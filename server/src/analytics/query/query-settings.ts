/**
 * ClickHouse settings for every query of a caller: they limit what one query can use, so that callers do not slow down each
 * other. Memory is not limited here, because the operator's settings profile knows how much there is.
 */
export const clickhouseQuerySettings = {
  max_execution_time: 15,
  // A caller that has disconnected does not need the result.
  cancel_http_readonly_queries_on_client_close: 1,
  output_format_json_quote_64bit_integers: 0, // returns counts as numbers
} as const
