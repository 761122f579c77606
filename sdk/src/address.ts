/** Where a call goes. */
export interface Target {
  /** As the contract has it: below the base URL, with parameters as `{name}`. */
  url: string
  path?: Readonly<Record<string, string>> | undefined
  /** What is undefined is left out. */
  query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
}

export function addressOf(base: URL, { url, path = {}, query = {} }: Target): URL {
  const filled = url.replace(/\{(\w+)\}/g, (_placeholder, name: string) => segment(name, path[name]))
  const address = new URL(filled.slice(1), base)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) address.searchParams.append(name, String(value))
  }
  return address
}

/** An empty id would name the list instead of its entry, and `..` is walked up however it is encoded. */
function segment(name: string, value: string | undefined): string {
  if (value === undefined || /^\.{0,2}$/.test(value)) {
    throw new TypeError(`${name} must be an id, not ${JSON.stringify(value)}.`)
  }
  return encodeURIComponent(value)
}
