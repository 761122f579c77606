/** Adding and removing passkeys, and signing in with one. */
import Type, { type Static } from 'typebox'
import { challengeSeconds } from '../../people/passkey-challenges.ts'
import { maxPasskeys, type Passkey } from '../../people/passkey-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import { createResponse } from '../../platform/http/route.ts'
import { toClientNetwork } from '../client-network.ts'
import { MinuteRateLimit } from '../minute-rate-limit.ts'
import { defineRoute, type HttpRequestDetails, type Route } from '../route.ts'
import { DateTime, IdParam, nullable, SingleLineText } from '../schemas.ts'
import { CreationOptions, NewCredential, RequestOptions, SignedChallenge } from './passkey-schemas.ts'
import { RecoveryCodes } from './second-factor-routes.ts'
import { type SessionDeps, SessionSchema, signedInResponse, toBrowser } from './session-response.ts'

const examplePasskeyId = 'psk_01m7ej3x5ye8w9s6n0q4t2v7kd'

const PasskeyName = SingleLineText({
  minLength: 1,
  maxLength: 100,
  description: 'Name of the passkey, which tells the person where it is stored.',
  examples: ['Laptop'],
})

const PasskeySchema = Type.Object(
  {
    id: Type.String({ description: 'ID of the passkey.', examples: [examplePasskeyId] }),
    name: PasskeyName,
    createdAt: DateTime('Time at which the passkey was added.'),
    lastUsedAt: nullable(DateTime('Time of the last sign-in with the passkey. Null if there was none.')),
  },
  { $id: 'Passkey', description: 'A passkey of the signed-in person.' },
)

const PasskeyList = Type.Object({
  passkeys: Type.Array(PasskeySchema, { description: 'Passkeys of the signed-in person, the oldest one first.' }),
})

const toPasskeyResponse = ({ id, name, createdAt, lastUsedAt }: Passkey): Static<typeof PasskeySchema> => ({
  id,
  name,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
})

/** Keeps the challenge in the browser that started, so that no other browser can use what its passkey signed. */
const challengeCookieName = '__Host-colophon_passkey'
const cookieAttributes = 'Path=/; HttpOnly; Secure; SameSite=Strict'
const keepChallenge = (challenge: string) =>
  `${challengeCookieName}=${challenge}; Max-Age=${challengeSeconds}; ${cookieAttributes}`
const forgetChallenge = `${challengeCookieName}=; Max-Age=0; ${cookieAttributes}`

/** Empty if the browser has none. */
const readChallenge = ({ cookieHeader }: HttpRequestDetails): string =>
  cookieHeader
    .split(/;\s*/)
    .find((pair) => pair.startsWith(`${challengeCookieName}=`))
    ?.slice(challengeCookieName.length + 1) ?? ''

export function passkeyRoutes(deps: SessionDeps): Route[] {
  const changes = new MinuteRateLimit('attempts to change passkeys', 20)
  const { passkeys, sessions, signInGuard, signInAudit } = deps
  return [
    defineRoute({
      method: 'POST',
      url: '/v2/session/passkey/challenge',
      access: 'public',
      name: 'startPasskeySignIn',
      tag: 'People',
      summary: 'Start to sign in with a passkey',
      description:
        'Returns what the browser needs to ask for a passkey (WebAuthn). The challenge works once, in this browser, within 5 ' +
        'minutes. If someone is signed in, only their own passkeys are accepted: this is how they sign in again.',
      schemas: { responses: { 200: RequestOptions } },
      maxPerMinutePerNetwork: 60,
      responseHeaders: { 200: ['Set-Cookie'] },
      problems: ['cross_origin', 'invalid_request'],
      async handle({ http }) {
        sessions.assertPasswordsAllowed()
        const session = await sessions.find(http.cookieHeader)
        const options = await passkeys.startSignIn(session?.person.id ?? null)
        return createResponse(200, options, { 'set-cookie': keepChallenge(options.challenge) })
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/v2/session/passkey',
      access: 'public',
      name: 'signInWithPasskey',
      tag: 'People',
      summary: 'Sign in with a passkey',
      description:
        'Starts a session with the challenge that a passkey signed. It counts as two factors, because the device must have ' +
        'verified the person with a PIN, a fingerprint or their face. The previous session of the same browser ends. Failed ' +
        'attempts have to wait longer, as with passwords.',
      schemas: { body: SignedChallenge, responses: { 200: SessionSchema } },
      maxPerMinutePerNetwork: 60,
      responseHeaders: { 200: ['Set-Cookie'] },
      problems: ['unauthenticated', 'cross_origin'],
      async handle({ body, http }) {
        sessions.assertPasswordsAllowed()
        const browser = toBrowser(http)
        const from = { network: toClientNetwork(http.ipAddress), coarseNetwork: browser.coarseNetwork }
        const email = await passkeys.findOwner(body.id)
        const signIn = async () => sessions.signInWithPasskey(await passkeys.verify(body, readChallenge(http)), browser)
        const { setCookie } = await signInGuard
          .attempt(email ?? body.id, from, signIn)
          .catch(async (error: unknown) => {
            const detail = { method: 'passkey', ...(email !== undefined && { email }) } as const
            if (error instanceof Problem) await signInAudit.recordFailure(detail, http)
            throw error
          })
        const [description] = await signedInResponse(deps, { setCookie }, { method: 'passkey', http })
        return createResponse(200, description, { 'set-cookie': [...setCookie, forgetChallenge] })
      },
    }),
    defineRoute({
      method: 'GET',
      url: '/v2/session/passkeys',
      access: 'session',
      allowsMissingSecondFactor: true,
      name: 'listPasskeys',
      tag: 'People',
      summary: 'List your passkeys',
      description: 'Returns the passkeys of the signed-in person.',
      schemas: { responses: { 200: PasskeyList } },
      handle: async ({ session }) =>
        createResponse(200, { passkeys: (await passkeys.list(session.person.id)).map(toPasskeyResponse) }),
    }),
    defineRoute({
      method: 'POST',
      url: '/v2/session/passkey-registration/challenge',
      access: 'session',
      allowsMissingSecondFactor: true,
      requiresRecentSignIn: true,
      name: 'startPasskey',
      tag: 'People',
      summary: 'Start to add a passkey',
      description:
        'Returns what the browser needs to create a passkey (WebAuthn). The challenge works once, in this browser, within 5 ' +
        'minutes.',
      schemas: { responses: { 200: CreationOptions } },
      responseHeaders: { 200: ['Set-Cookie'] },
      problems: ['rate_limited', 'invalid_request'],
      async handle({ session }) {
        sessions.assertPasswordsAllowed()
        changes.consume(session.person.id)
        const options = await passkeys.startAdding(session.person)
        return createResponse(200, options, { 'set-cookie': keepChallenge(options.challenge) })
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/v2/session/passkeys',
      access: 'session',
      allowsMissingSecondFactor: true,
      requiresRecentSignIn: true,
      name: 'addPasskey',
      tag: 'People',
      summary: 'Add a passkey',
      description:
        `Adds a passkey that the browser created, at most ${maxPasskeys} per person. From then on, the password alone does not ` +
        'sign in. If it is the first second factor of the person, the response has recovery codes, and their other sessions end.',
      schemas: {
        body: Type.Object(
          { name: PasskeyName, credential: NewCredential },
          {
            additionalProperties: false,
            examples: [
              {
                name: 'Laptop',
                credential: {
                  id: 'q83vEjRWeJA',
                  response: {
                    clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
                    attestationObject: 'o2NmbXRkbm9uZQ',
                    transports: ['internal'],
                  },
                },
              },
            ],
          },
        ),
        responses: {
          201: Type.Object({ passkey: PasskeySchema, recoveryCodes: RecoveryCodes }),
        },
      },
      responseHeaders: { 201: ['Set-Cookie'] },
      problems: ['rate_limited'],
      async handle({ session, actor, body: { name, credential }, http }) {
        sessions.assertPasswordsAllowed()
        changes.consume(session.person.id)
        const input = { name, credential, challenge: readChallenge(http) }
        const { passkey, recoveryCodes } = await passkeys.add(session, input, actor)
        const response = { passkey: toPasskeyResponse(passkey), recoveryCodes }
        return createResponse(201, response, { 'set-cookie': forgetChallenge })
      },
    }),
    defineRoute({
      method: 'DELETE',
      url: '/v2/session/passkeys/:passkeyId',
      access: 'session',
      allowsMissingSecondFactor: true,
      requiresRecentSignIn: true,
      name: 'removePasskey',
      tag: 'People',
      summary: 'Remove a passkey',
      description:
        'The passkey stops working at once, and all other sessions of the person end. Without another second factor, the ' +
        'recovery codes stop working, and the password alone signs in. Nothing changes if it was removed before. Returns the ' +
        'passkeys that are left.',
      schemas: {
        params: Type.Object({ passkeyId: IdParam('ID of the passkey.', examplePasskeyId) }),
        responses: { 200: PasskeyList },
      },
      async handle({ session, params, actor }) {
        await passkeys.remove(session, params.passkeyId, actor)
        return createResponse(200, { passkeys: (await passkeys.list(session.person.id)).map(toPasskeyResponse) })
      },
    }),
  ]
}
