export interface RequestTarget {
  /** The path as in the API contract: relative to the base URL, with parameters written as `{name}`. */
  url: string
  path?: Readonly<Record<string, string>> | undefined
  /** Undefined values are omitted. */
  query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
}

export function buildRequestUrl(base: URL, { url, path = {}, query = {} }: RequestTarget): URL {
  const filledPath = url.replace(/\{(\w+)\}/g, (_placeholder, name: string) => pathSegment(name, path[name]))
  const requestUrl = new URL(filledPath.slice(1), base)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) requestUrl.searchParams.append(name, String(value))
  }
  return requestUrl
}

/** Rejects an empty ID, which would address the list instead of its entry, and `..`, which is resolved even when encoded. */
function pathSegment(name: string, value: string | undefined): string {
  if (value === undefined || /^\.{0,2}$/.test(value)) {
    throw new TypeError(`${name} must be an ID, not ${JSON.stringify(value)}.`)
  }
  return encodeURIComponent(value)
}
