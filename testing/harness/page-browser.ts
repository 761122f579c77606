/** As much of a browser as the tests need: cookies per host, forms, and redirects followed one at a time. */
export class PageBrowser {
  readonly #apiOrigin: string
  readonly #jars = new Map<string, Map<string, string>>()

  constructor(apiOrigin: string) {
    this.#apiOrigin = apiOrigin
  }

  async go(
    url: string,
    form?: Record<string, string>,
  ): Promise<{ url: string; location: string | null; text: string }> {
    const { host } = new URL(url)
    const jar = this.#jars.get(host) ?? new Map<string, string>()
    this.#jars.set(host, jar)
    const response = await fetch(url, {
      redirect: 'manual',
      headers: {
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
        origin: new URL(url).origin,
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split(/=(.*)/s)
      if (isDeletion(line)) jar.delete(name)
      else jar.set(name, value)
    }
    const location = response.headers.get('location')
    return { url, location: location && new URL(location, url).href, text: await response.text() }
  }

  /** Calls the API as the dashboard does. */
  async json(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const jar = this.#jars.get(new URL(this.#apiOrigin).host) ?? new Map<string, string>()
    this.#jars.set(new URL(this.#apiOrigin).host, jar)
    const response = await fetch(this.#apiOrigin + path, {
      method,
      headers: {
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
        origin: this.#apiOrigin,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split(/=(.*)/s)
      if (isDeletion(line)) jar.delete(name)
      else jar.set(name, value)
    }
    return (await response.json()) as Record<string, unknown>
  }
}

const isDeletion = (setCookie: string) => /max-age=0|expires=thu, 01 jan 1970/i.test(setCookie)
