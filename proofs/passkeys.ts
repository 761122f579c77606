/**
 * Uses passkeys on the dashboard in Chromium, with its virtual authenticator, on an instance that requires a second factor. Then tries what
 * must not sign in: without user verification, on another origin, with a challenge that was used, and with a passkey that was removed.
 */
import type { Browser, CDPSession, Page } from 'playwright-core'
import type { PasskeyRequestOptions, SignInWithPasskeyData } from '../sdk/src/index.ts'
import { createBrowserClient } from '../testing/harness/browser-client.ts'
import { prepareColophon } from '../testing/harness/colophon.ts'
import { createFirstOwner, personPassword, toLocalhostOrigin } from '../testing/harness/people.ts'
import { operator } from '../testing/harness/test-instance.ts'
import { openChromium } from './onboarding/cold-load.ts'
import { type MonitoredTab, openMonitoredTab } from './onboarding/monitored-tab.ts'
import type { ProofRun } from './proof.ts'

export const guarantee =
  'A passkey signs in its owner and nobody else: only with user verification, only on the dashboard itself, once per challenge, and never ' +
  'after it was removed'

const timeoutMs = 20_000
const settings = { COLOPHON_REQUIRE_SECOND_FACTOR: 'true' }

interface Setup {
  run: ProofRun
  browser: Browser
  /** Of two replicas on the same database. The second one has another public URL, like a site that imitates the first. */
  origins: readonly [string, string]
  /** Returns the email address. */
  createPerson(): Promise<string>
}

export async function prove(run: ProofRun): Promise<void> {
  const colophon = await prepareColophon(run, 'passkeys')
  const [first, second] = await Promise.all([colophon.start('api', settings), colophon.start('api', settings)])
  await createFirstOwner(first.url, colophon) // otherwise the dashboard shows only the page for it
  const { projectId } = await colophon.createProject('Handbook')
  const browser = await openChromium()
  run.cleanUp(() => browser.close())
  let people = 0
  const setup: Setup = {
    run,
    browser,
    origins: [toLocalhostOrigin(first.url), toLocalhostOrigin(second.url)],
    async createPerson() {
      const email = `person-${people++}@example.com`
      const { token } = await colophon.stores.invitations.create(projectId, { email, role: 'owner' }, operator)
      const { client } = createBrowserClient(first.url, toLocalhostOrigin(first.url))
      await client.invitations.accept({ token, name: 'A Person', password: personPassword })
      return email
    },
  }
  const rounds = { ci: 1, stated: 5, full: 50 }[run.size]
  for (let round = 0; round < rounds; round++) {
    await colophon.pool.query('DELETE FROM sign_in_counter')
    await useAndMisuse(setup)
    run.log(`person ${round + 1} of ${rounds}`)
  }
  run.figure('people, each with a passkey in Chromium', rounds)
  run.figure('attempts with a passkey that must not sign in', rounds * 6)
}

async function useAndMisuse(setup: Setup): Promise<void> {
  const { run, browser, origins } = setup
  const email = await setup.createPerson()
  const [origin] = origins
  const tab = await openMonitoredTab(browser, origin, { colorScheme: 'light', screen: 'desktop' })
  tab.page.setDefaultTimeout(timeoutMs)
  const authenticator = await addVirtualAuthenticator(tab)
  const { page } = tab

  await enterPassword(page, origin, email)
  await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor()
  const recoveryCodes = await addFirstPasskey(page)
  run.check(recoveryCodes.length === 10, `the first passkey comes with 10 recovery codes (${recoveryCodes.length})`)
  await page.getByRole('button', { name: /^Account menu/ }).waitFor()

  await signOut(page, origin)
  const signIn = await signInWithPasskey(page)
  run.check(signIn.status === 200, `a passkey signs in without a password (${signIn.status})`)
  await page.getByRole('button', { name: /^Account menu/ }).waitFor()

  await misuse(setup, { page, authenticator, replayed: signIn, email })

  await signOut(page, origin)
  await enterPassword(page, origin, email)
  await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
  run.check(!(await isSignedIn(page, origin)), 'the password alone does not sign in')
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByRole('button', { name: /^Account menu/ }).waitFor()
  run.check(await isSignedIn(page, origin), 'after the password, the passkey signs in')

  await page.goto(`${origin}/account`)
  const remove = page.getByRole('button', { name: 'Remove the passkey Test device' })
  await remove.click()
  await remove.waitFor({ state: 'hidden' })
  await page.context().clearCookies()
  await page.goto(`${origin}/sign-in`)
  const removed = await signInWithPasskey(page)
  run.check(removed.status === 401, `a removed passkey does not sign in (${removed.status})`)
  await page.getByRole('alert').getByText('The passkey was not accepted').waitFor()
  run.check(!(await isSignedIn(page, origin)), 'after the attempt with a removed passkey, nobody is signed in')
  checkTab(setup, tab)
  await tab.context.close()
}

interface PasskeySignIn {
  status: number
  body: SignInWithPasskeyData['body']
  cookieHeader: string
}

interface Misuse {
  page: Page
  authenticator: VirtualAuthenticator
  /** A sign-in that succeeded. */
  replayed: PasskeySignIn
  email: string
}

async function misuse({ run, origins }: Setup, { page, authenticator, replayed, email }: Misuse): Promise<void> {
  const [origin, otherOrigin] = origins
  const replay = await send(origin, replayed.body, replayed.cookieHeader)
  run.check(replay === 401, `a challenge that was used does not sign in again (${replay})`)

  await signOut(page, origin)
  const { client, cookies } = createBrowserClient(origin.replace('localhost', '127.0.0.1'), origin)
  const cookieHeader = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

  const elsewhere = await signInPage(page, origin, await client.session.startPasskeySignIn())
  const withoutCookie = await send(origin, elsewhere, '')
  run.check(withoutCookie === 401, `another browser cannot use what the passkey signed (${withoutCookie})`)

  await authenticator.setUserVerified(false)
  const discouraged = { ...(await client.session.startPasskeySignIn()), userVerification: 'discouraged' }
  const unverified = await send(origin, await signInPage(page, origin, discouraged), cookieHeader())
  run.check(unverified === 401, `without user verification, a passkey does not sign in (${unverified})`)
  await page.goto(`${origin}/sign-in`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('alert').getByText('No passkey was used').waitFor()
  run.check(!(await isSignedIn(page, origin)), 'the browser refuses to sign in without user verification')
  await authenticator.setUserVerified(true)

  const phished = await signInPage(page, otherOrigin, await client.session.startPasskeySignIn())
  const onOtherOrigin = await send(origin, phished, cookieHeader())
  run.check(onOtherOrigin === 401, `what the passkey signed on another origin does not sign in (${onOtherOrigin})`)

  await page.goto(`${origin}/sign-in`)
  const afterwards = await signInWithPasskey(page)
  run.check(afterwards.status === 200, `the passkey still signs ${email} in (${afterwards.status})`)
  await page.getByRole('button', { name: /^Account menu/ }).waitFor()
}

interface VirtualAuthenticator {
  /** Whether the person enters the PIN or shows the fingerprint. */
  setUserVerified(isUserVerified: boolean): Promise<unknown>
}

async function addVirtualAuthenticator({ context, page }: MonitoredTab): Promise<VirtualAuthenticator> {
  const devtools: CDPSession = await context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    setUserVerified: (isUserVerified) => devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  }
}

async function enterPassword(page: Page, origin: string, email: string): Promise<void> {
  await page.goto(`${origin}/sign-in`)
  await page.getByLabel('Email').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(personPassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Returns the recovery codes. */
async function addFirstPasskey(page: Page): Promise<string[]> {
  await page.getByLabel('Name of the new passkey').fill('Test device')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const done = page.getByRole('button', { name: 'I have saved the recovery codes' })
  await done.waitFor()
  const codes = ((await page.locator('main').textContent()) ?? '').match(/[a-z0-9]{7}(?:-[a-z0-9]{7}){3}/g) ?? []
  await done.click()
  return codes
}

async function signOut(page: Page, origin: string): Promise<void> {
  await page.getByRole('button', { name: /^Account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL(`${origin}/sign-in`)
}

async function signInWithPasskey(page: Page): Promise<PasskeySignIn> {
  const sent = page.waitForResponse((response) => response.url().endsWith('/v2/session/passkey'))
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  const response = await sent
  const request = response.request()
  return {
    status: response.status(),
    body: request.postDataJSON() as SignInWithPasskeyData['body'],
    cookieHeader: (await request.allHeaders()).cookie ?? '',
  }
}

/** Lets a page of this origin ask for the passkey, as a script of an attacker would. */
async function signInPage(
  page: Page,
  origin: string,
  options: Omit<PasskeyRequestOptions, 'userVerification'> & { userVerification: string },
): Promise<SignInWithPasskeyData['body']> {
  await page.goto(`${origin}/sign-in`)
  return page.evaluate(`(async () => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)})
    const { id, response } = (await navigator.credentials.get({ publicKey })).toJSON()
    const { clientDataJSON, authenticatorData, signature, userHandle = null } = response
    return { id, response: { clientDataJSON, authenticatorData, signature, userHandle } }
  })()`)
}

/** Returns the status. */
async function send(origin: string, body: SignInWithPasskeyData['body'], cookie: string): Promise<number> {
  const headers = { 'content-type': 'application/json', origin, cookie }
  const url = `${origin.replace('localhost', '127.0.0.1')}/v2/session/passkey`
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status
}

async function isSignedIn(page: Page, origin: string): Promise<boolean> {
  const response = await page.context().request.get(`${origin}/v2/session`)
  return ((await response.json()) as { person: unknown }).person !== null
}

/** The responses with 401 are the attempts that must fail, and the other origin is opened on purpose. */
function checkTab({ run, origins }: Setup, { externalRequests, browserErrors }: MonitoredTab): void {
  const external = externalRequests.filter((url) => !url.startsWith(`${origins[1]}/`))
  const unexpected = browserErrors.filter((error) => !error.includes('401'))
  run.check(external.length === 0, `no page sends requests to other sites: ${external.join(', ')}`)
  run.check(unexpected.length === 0, `the browser reports no errors: ${unexpected.join(' | ')}`)
}
