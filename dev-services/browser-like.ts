/** A client that keeps cookies and says where it comes from, as a browser on our own pages does. */
import { type Client, createClient } from '../sdk/src/index.ts'

export interface BrowserLike {
  client: Client
  /** By name. */
  cookies: ReadonlyMap<string, string>
  /** What the server asked to be kept, with all its attributes. */
  setCookies: readonly string[]
}

export function browserLike(url: string, origin = url): BrowserLike {
  const cookies = new Map<string, string>()
  const setCookies: string[] = []
  const withCookies: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('origin', origin)
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
  return { client: createClient({ baseUrl: url, fetch: withCookies }), cookies, setCookies }
}
