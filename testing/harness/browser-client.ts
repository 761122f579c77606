/** An API client that keeps cookies and sends an `Origin` header, as a browser on the dashboard does. */
import { type Client, createClient } from '../../sdk/src/index.ts'

export interface BrowserClient {
  client: Client
  /** Values by name. */
  cookies: ReadonlyMap<string, string>
  /** The `Set-Cookie` headers received so far, with all attributes. */
  setCookies: readonly string[]
}

export function createBrowserClient(
  url: string,
  origin = url,
  extraHeaders: Readonly<Record<string, string>> = {},
): BrowserClient {
  const cookies = new Map<string, string>()
  const setCookies: string[] = []
  const withCookies: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('origin', origin)
    for (const [name, value] of Object.entries(extraHeaders)) headers.set(name, value)
    if (cookies.size > 0) headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await fetch(input, { ...init, headers })
    for (const line of response.headers.getSetCookie()) {
      setCookies.push(line)
      const [pair = ''] = line.split(';', 1)
      const [name = '', value = ''] = pair.split(/=(.*)/s)
      if (/max-age=0/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  return { client: createClient({ baseUrl: url, fetch: withCookies, retry: false }), cookies, setCookies }
}
