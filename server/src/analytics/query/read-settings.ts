/**
 * For every query of a caller: what it may take of ClickHouse, so that no caller takes it from the others. Not how much
 * memory: how much there is, the operator's profile knows.
 */
export const readSettings = {
  max_execution_time: 15,
  // Whoever does not wait for an answer any more does not need it.
  cancel_http_readonly_queries_on_client_close: 1,
  output_format_json_quote_64bit_integers: 0, // counts come as numbers
} as const
