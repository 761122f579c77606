/** Creates and uses passkeys with the Web Authentication API of the browser. */
import type {
  AddPasskeyData,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
  SignInWithPasskeyData,
} from '@colophon/sdk'
import { ExplainedError } from '../shown/error-alert.tsx'

type NewCredential = AddPasskeyData['body']['credential']
type SignedChallenge = SignInWithPasskeyData['body']

/** Browsers since 2025, over HTTPS or on localhost. */
export const supportsPasskeys = (): boolean =>
  typeof window.PublicKeyCredential?.parseCreationOptionsFromJSON === 'function'

export async function createPasskey(options: PasskeyCreationOptions): Promise<NewCredential> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const credential = await navigator.credentials.create({ publicKey }).catch(explain)
  if (!isPublicKeyCredential(credential)) throw explain(undefined)
  const response = credential.response as AuthenticatorAttestationResponse
  return {
    id: credential.id,
    response: {
      clientDataJSON: toBase64Url(response.clientDataJSON),
      attestationObject: toBase64Url(response.attestationObject),
      transports: response.getTransports().filter((transport) => /^[a-z-]{1,30}$/.test(transport)),
    },
  }
}

export async function signWithPasskey(options: PasskeyRequestOptions): Promise<SignedChallenge> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = await navigator.credentials.get({ publicKey }).catch(explain)
  if (!isPublicKeyCredential(credential)) throw explain(undefined)
  const response = credential.response as AuthenticatorAssertionResponse
  return {
    id: credential.id,
    response: {
      clientDataJSON: toBase64Url(response.clientDataJSON),
      authenticatorData: toBase64Url(response.authenticatorData),
      signature: toBase64Url(response.signature),
      userHandle: response.userHandle && toBase64Url(response.userHandle),
    },
  }
}

const isPublicKeyCredential = (credential: Credential | null): credential is PublicKeyCredential =>
  credential?.type === 'public-key'

/** Not `toJSON()`: passkeys of some password managers do not have it. */
function toBase64Url(buffer: ArrayBuffer): string {
  const bytes = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join('')
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

const explanations: Readonly<Record<string, string>> = {
  NotAllowedError:
    'No passkey was used. You cancelled, the device has none for this site, or the time ran out. Try again.',
  InvalidStateError:
    'This device already has a passkey for your account. Use another device, or remove the passkey first.',
  SecurityError: 'Browsers do not allow passkeys at this address. Open Colophon at its public URL, with a domain name.',
  NotSupportedError:
    'This device cannot store passkeys that ask for a PIN, a fingerprint or your face. Use another one.',
  ConstraintError: 'This device cannot store passkeys that ask for a PIN, a fingerprint or your face. Use another one.',
}

function explain(error: unknown): never {
  const name = error instanceof DOMException ? error.name : ''
  throw new ExplainedError(
    explanations[name] ?? 'The browser could not use a passkey. Try again, or use another browser.',
  )
}
