/** A line of a process's log for a person's eyes. What is not one of our JSON lines is shown as it is. */
export function readableLine(line: string): string {
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
  const rest = Object.keys(details).length > 0 ? ` ${JSON.stringify(details)}` : ''
  return `${clock} ${level === 'info' ? '' : `${String(level).toUpperCase()} `}${request ?? `${msg}${rest}`}`
}
