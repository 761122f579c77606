/** Setting up a second factor, and the second step of signing in with one. */
import Type from 'typebox'
import { toCookieHeader } from '../../people/session-manager.ts'
import { Problem } from '../../platform/http/problem.ts'
import { createResponse } from '../../platform/http/route.ts'
import { MinuteRateLimit } from '../minute-rate-limit.ts'
import { defineRoute, type Route } from '../route.ts'
import { CurrentPassword } from './person-fields.ts'
import { describeSession, type SessionDeps, SessionSchema, signedInResponse, toBrowser } from './session-response.ts'

const PasswordBody = Type.Object(
  { password: CurrentPassword },
  { additionalProperties: false, examples: [{ password: 'correct horse battery staple' }] },
)

export const RecoveryCodes = Type.Array(Type.String({ examples: ['xk4pq9m-wz2tc7h-n4vbsye-8dgr5fa'] }), {
  description:
    'Codes that each replace the second factor once. Only this response contains them. Empty if the person already has ' +
    'recovery codes, which stay valid.',
})

export function secondFactorRoutes(deps: SessionDeps): Route[] {
  const changes = new MinuteRateLimit('attempts to change the second factor', 10)
  return [
    defineRoute({
      method: 'POST',
      url: '/v2/session/second-factor',
      access: 'public',
      name: 'verifySecondFactor',
      tag: 'People',
      summary: 'Sign in: second factor',
      description:
        'The second step of signing in, after a response with `needsSecondFactor`. Takes the code that the authenticator app ' +
        'shows, or a recovery code. Each code works once. After 5 wrong codes the sign-in starts over; after 10, the second ' +
        'factor of the account is locked for 15 minutes.',
      schemas: {
        body: Type.Object(
          {
            code: Type.String({
              pattern: '^(\\d{6}|[a-z0-9]{7}(-[a-z0-9]{7}){3})$',
              description: 'Code of the authenticator app, or a recovery code.',
            }),
          },
          { additionalProperties: false, examples: [{ code: '123456' }] },
        ),
        responses: { 200: SessionSchema },
      },
      maxPerMinutePerNetwork: 30,
      responseHeaders: { 200: ['Set-Cookie'] },
      problems: ['unauthenticated', 'cross_origin'],
      async handle({ body, http }) {
        const cookies = await deps.sessions
          .verifySecondFactor(body.code, toBrowser(http))
          .catch(async (error: unknown) => {
            if (error instanceof Problem) await deps.signInAudit.recordFailure({ step: 'second_factor' }, http)
            throw error
          })
        return createResponse(200, ...(await signedInResponse(deps, cookies, { method: 'second_factor', http })))
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/v2/session/authenticator',
      access: 'session',
      allowsMissingSecondFactor: true,
      requiresRecentSignIn: true,
      name: 'createAuthenticator',
      tag: 'People',
      summary: 'Set up an authenticator app',
      description:
        'Creates the secret for an authenticator app (TOTP) and recovery codes. They have no effect until they are confirmed ' +
        'with a code. Another request replaces them.',
      schemas: {
        body: PasswordBody,
        responses: {
          200: Type.Object({
            uri: Type.String({
              description: 'URI for the authenticator app, usually shown as a QR code. It contains the secret.',
              examples: ['otpauth://totp/Colophon:owner@example.com?secret=JBSWY3DPEHPK3PXP&issuer=Colophon'],
            }),
            recoveryCodes: RecoveryCodes,
          }),
        },
      },
      problems: ['rate_limited'],
      async handle({ session, body, http }) {
        changes.consume(session.person.id)
        return createResponse(
          200,
          await deps.sessions.createSecondFactor(session.person, body.password, toBrowser(http)),
        )
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/v2/session/authenticator/confirm',
      access: 'session',
      allowsMissingSecondFactor: true,
      requiresRecentSignIn: true,
      name: 'confirmAuthenticator',
      tag: 'People',
      summary: 'Confirm an authenticator app',
      description:
        'Turns the second factor on, with a code that the authenticator app shows. If it is the first one of the person, their ' +
        'other sessions end.',
      schemas: {
        body: Type.Object(
          { code: Type.String({ pattern: '^\\d{6}$', description: 'Code that the authenticator app shows.' }) },
          { additionalProperties: false, examples: [{ code: '123456' }] },
        ),
        responses: { 200: SessionSchema },
      },
      responseHeaders: { 200: ['Set-Cookie'] },
      problems: ['rate_limited'],
      async handle({ session, body, http }) {
        changes.consume(session.person.id)
        const { setCookie } = await deps.sessions.confirmSecondFactor(body.code, toBrowser(http))
        await deps.signInAudit.record(session.person, 'second_factor.set_up', http)
        const cookieHeader = setCookie.length > 0 ? toCookieHeader(setCookie) : http.cookieHeader
        return createResponse(200, await describeSession(deps, cookieHeader), { 'set-cookie': setCookie })
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/v2/session/authenticator/remove',
      access: 'session',
      allowsMissingSecondFactor: true,
      requiresRecentSignIn: true,
      name: 'removeAuthenticator',
      tag: 'People',
      summary: 'Remove the authenticator app',
      description:
        'Signing in does not need a code any more. If the person has no passkeys, the recovery codes stop working, and the ' +
        'password alone signs in.',
      schemas: { body: PasswordBody, responses: { 200: SessionSchema } },
      problems: ['rate_limited'],
      async handle({ session, body, http }) {
        changes.consume(session.person.id)
        await deps.sessions.removeSecondFactor(session.person, body.password, toBrowser(http))
        await deps.signInAudit.record(session.person, 'second_factor.removed', http)
        return createResponse(200, await describeSession(deps, http.cookieHeader))
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/v2/session/recovery-codes',
      access: 'session',
      allowsMissingSecondFactor: true,
      requiresRecentSignIn: true,
      name: 'createRecoveryCodes',
      tag: 'People',
      summary: 'Create new recovery codes',
      description: 'Creates 10 recovery codes. The previous ones stop working.',
      schemas: {
        body: PasswordBody,
        responses: { 200: Type.Object({ recoveryCodes: RecoveryCodes }) },
      },
      problems: ['rate_limited'],
      async handle({ session, body, http }) {
        changes.consume(session.person.id)
        const recoveryCodes = await deps.sessions.createRecoveryCodes(body.password, toBrowser(http))
        await deps.signInAudit.record(session.person, 'second_factor.recovery_codes_created', http)
        return createResponse(200, { recoveryCodes })
      },
    }),
  ]
}
