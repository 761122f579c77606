/** A real OpenID Connect provider (the package `oidc-provider`), with its own pages for signing in and agreeing. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'
import { freePort } from '../services/free-port.ts'
import type { PageBrowser } from './page-browser.ts'

export interface ProviderAccount {
  email: string
  email_verified?: boolean
  groups?: string[]
}

export interface OpenIdProvider {
  issuer: string
  /** By user name. Changes take effect at the next sign-in. */
  accounts: Map<string, ProviderAccount>
  /** The settings with which Colophon uses this provider. */
  settings: Readonly<Record<string, string>>
  /** Follows the pages of the provider and fills in their forms. Returns the final URL and the forms that were shown. */
  signIn(browser: PageBrowser, url: string, userName: string): Promise<{ url: string; forms: string[] }>
  stop(): Promise<void>
}

const client = { id: 'colophon', secret: 'a client secret for tests' }

export async function startOpenIdProvider(redirectUris: readonly string[]): Promise<OpenIdProvider> {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const accounts = new Map<string, ProviderAccount>()
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [...redirectUris],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    cookies: { keys: ['a cookie key for tests'] },
    scopes: ['openid', 'email', 'profile', 'groups'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    async findAccount(_context, userName) {
      return {
        accountId: userName,
        claims: () => ({
          sub: userName,
          name: userName,
          email_verified: true,
          ...(accounts.get(userName) ?? { email: `${userName}@example.com` }),
        }),
      }
    },
  })
  const server = createServer(provider.callback())
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    issuer,
    accounts,
    settings: {
      COLOPHON_OIDC_ISSUER: issuer,
      COLOPHON_OIDC_NAME: 'Test SSO',
      COLOPHON_OIDC_CLIENT_ID: client.id,
      COLOPHON_OIDC_CLIENT_SECRET: client.secret,
    },
    async signIn(browser, url, userName) {
      const forms: string[] = []
      let page = await browser.go(url)
      for (let step = 0; step < 20; step++) {
        if (page.location !== null) {
          const isEnd = !page.location.startsWith(issuer) && !page.location.includes('/v2/auth/')
          if (isEnd) return { url: page.location, forms }
          page = await browser.go(page.location)
          continue
        }
        const form = /name="prompt" value="(\w+)"/.exec(page.text)?.[1]
        if (form === undefined) return { url: `${page.url}: ${page.text}`, forms }
        forms.push(form)
        page = await browser.go(page.url, { prompt: form, login: userName, password: 'any' })
      }
      throw new Error('the provider shows more pages than expected')
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
