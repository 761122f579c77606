/** Formats a JSON log line of a Colophon process for the terminal. Other lines are returned unchanged. */
export function formatLogLine(line: string): string {
  let entry: Record<string, unknown>
  try {
    entry = JSON.parse(line)
  } catch {
    return line
  }
  const { level, time, process: _process, msg, requestId: _requestId, ...details } = entry
  const clock = String(time).slice(11, 19)
  const request =
    msg === 'request'
      ? `${details.method} ${details.path} → ${details.status} in ${details.milliseconds} ms`
      : undefined
  const detailsText = Object.keys(details).length > 0 ? ` ${JSON.stringify(details)}` : ''
  return `${clock} ${level === 'info' ? '' : `${String(level).toUpperCase()} `}${request ?? `${msg}${detailsText}`}`
}
