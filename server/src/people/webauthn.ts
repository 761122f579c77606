/** What a browser is asked to do with passkeys, and the verification of what it sends back. */
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import type { Id } from '../platform/ids.ts'
import { challengeSeconds } from './passkey-challenges.ts'

/** The instance, as authenticators know it: a passkey works for this host only, and on pages of this origin. */
export interface RelyingParty {
  id: string
  origin: string
}

export function toRelyingParty(publicUrl: string): RelyingParty {
  const { hostname, origin } = new URL(publicUrl)
  return { id: hostname, origin }
}

/** What `navigator.credentials.create` returns. Binary values are in base64url here. */
export interface NewCredential {
  id: string
  response: { clientDataJSON: string; attestationObject: string; transports: string[] }
}

/** What `navigator.credentials.get` returns. */
export interface SignedChallenge {
  id: string
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle: string | null }
}

export interface StoredCredential {
  id: string
  publicKey: Uint8Array
  counter: number
}

interface KnownCredential {
  id: string
  transports: string[]
}

/** EdDSA, ES256 and RS256: every authenticator has one of them. */
const algorithms = [-8, -7, -257]
const timeout = challengeSeconds * 1000

/** The ID of a person as authenticators store it. It is random, and says nothing about them. */
export const toUserHandle = (personId: Id<'per'>): string => Buffer.from(personId).toString('base64url')

/** For `PublicKeyCredential.parseCreationOptionsFromJSON`. The passkey must be able to sign in without an email address. */
export const createCreationOptions = (
  { id }: RelyingParty,
  {
    person,
    challenge,
    existing,
  }: {
    person: { id: Id<'per'>; email: string; name: string }
    challenge: string
    existing: readonly KnownCredential[]
  },
) => ({
  rp: { id, name: 'Colophon' },
  user: { id: toUserHandle(person.id), name: person.email, displayName: person.name },
  challenge,
  pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key' as const, alg })),
  timeout,
  excludeCredentials: existing.map(toDescriptor),
  authenticatorSelection: {
    residentKey: 'required' as const,
    requireResidentKey: true,
    userVerification: 'required' as const,
  },
  attestation: 'none' as const,
})

/** For `PublicKeyCredential.parseRequestOptionsFromJSON`. Without `allowed`, the person chooses one of their passkeys. */
export const createRequestOptions = (
  { id }: RelyingParty,
  { challenge, allowed }: { challenge: string; allowed: readonly KnownCredential[] },
) => ({
  rpId: id,
  challenge,
  timeout,
  userVerification: 'required' as const,
  allowCredentials: allowed.map(toDescriptor),
})

const toDescriptor = ({ id, transports }: KnownCredential) => ({ type: 'public-key' as const, id, transports })

/** Returns undefined if it is not a new credential for this challenge and origin, or the authenticator did not verify the person. */
export async function verifyNewCredential(
  { id: expectedRPID, origin: expectedOrigin }: RelyingParty,
  challenge: string,
  { id, response }: NewCredential,
): Promise<StoredCredential | undefined> {
  const verified = await verifyRegistrationResponse({
    response: { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response },
    expectedChallenge: challenge,
    expectedOrigin,
    expectedRPID,
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  }).catch(rejected)
  return verified?.registrationInfo?.userVerified ? verified.registrationInfo.credential : undefined
}

/**
 * Returns the new counter of the authenticator, or undefined if the credential did not sign this challenge on a page of this origin, or
 * the authenticator did not verify the person.
 */
export async function verifySignedChallenge(
  { id: expectedRPID, origin: expectedOrigin }: RelyingParty,
  challenge: string,
  { id, response }: SignedChallenge,
  { publicKey, counter }: StoredCredential,
): Promise<number | undefined> {
  const { clientDataJSON, authenticatorData, signature } = response
  const verified = await verifyAuthenticationResponse({
    response: {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON, authenticatorData, signature },
    },
    expectedChallenge: challenge,
    expectedOrigin,
    expectedRPID,
    requireUserVerification: true,
    credential: { id, publicKey: new Uint8Array(publicKey), counter },
  }).catch(rejected)
  if (!verified?.verified || !verified.authenticationInfo.userVerified) return undefined
  return verified.authenticationInfo.newCounter
}

/** The library throws for everything that is wrong with the data of the browser. */
const rejected = (): undefined => undefined
