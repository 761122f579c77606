/**
 * What browsers receive and send for passkeys: the JSON forms of the Web Authentication API (WebAuthn), with only the fields that are
 * used. Binary values are in base64url.
 */
import Type from 'typebox'

const Base64Url = (maxLength: number, description: string) =>
  Type.String({ pattern: '^[A-Za-z0-9_-]+$', minLength: 1, maxLength, description })

const CredentialId = Base64Url(1400, 'ID that the authenticator gave the passkey.')
const Challenge = Type.String({ description: 'Random bytes for the passkey to sign.' })
const TimeoutMilliseconds = Type.Integer({ description: 'How long the browser waits for the person, in milliseconds.' })

const CredentialDescriptor = Type.Object({
  type: Type.Literal('public-key', { description: 'Always `public-key`.' }),
  id: Type.String({ description: 'ID that the authenticator gave the passkey.' }),
  transports: Type.Array(Type.String(), { description: 'How the browser reaches the authenticator.' }),
})

const UserVerification = Type.Literal('required', {
  description: 'The authenticator must verify the person, with a PIN, a fingerprint or their face.',
})

const exampleChallenge = 'p1rQ8m2sVt5wXy7zA0bC3dE6fG9hJkLnOqRsTuVwXyZ'

/** For `PublicKeyCredential.parseCreationOptionsFromJSON`. */
export const CreationOptions = Type.Object(
  {
    rp: Type.Object(
      {
        id: Type.String({ description: 'Host of the instance.' }),
        name: Type.String({ description: 'Name that the browser shows.' }),
      },
      { description: 'The instance.' },
    ),
    user: Type.Object(
      {
        id: Type.String({ description: 'ID of the person.' }),
        name: Type.String({ description: 'Email address of the person.' }),
        displayName: Type.String({ description: 'Display name of the person.' }),
      },
      { description: 'The signed-in person.' },
    ),
    challenge: Challenge,
    pubKeyCredParams: Type.Array(
      Type.Object({
        type: Type.Literal('public-key', { description: 'Always `public-key`.' }),
        alg: Type.Integer({ description: 'COSE algorithm identifier.' }),
      }),
      { description: 'Accepted signature algorithms.' },
    ),
    timeout: TimeoutMilliseconds,
    excludeCredentials: Type.Array(CredentialDescriptor, { description: 'Passkeys that the person already has.' }),
    authenticatorSelection: Type.Object(
      {
        residentKey: Type.Literal('required', { description: 'The passkey must work without an email address.' }),
        requireResidentKey: Type.Boolean({ description: 'The same for old browsers.' }),
        userVerification: UserVerification,
      },
      { description: 'What the authenticator must be able to do.' },
    ),
    attestation: Type.Literal('none', { description: 'The make of the authenticator does not matter.' }),
  },
  {
    $id: 'PasskeyCreationOptions',
    description: 'Options for `navigator.credentials.create`.',
    examples: [
      {
        rp: { id: 'colophon.example.com', name: 'Colophon' },
        user: { id: 'cGVyXzAxbTdlaHB2azhlZzJ0M3E5ZDR4NXcwcjdh', name: 'owner@example.com', displayName: 'Ada Example' },
        challenge: exampleChallenge,
        pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
        timeout: 300_000,
        excludeCredentials: [],
        authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
        attestation: 'none',
      },
    ],
  },
)

/** For `PublicKeyCredential.parseRequestOptionsFromJSON`. */
export const RequestOptions = Type.Object(
  {
    rpId: Type.String({ description: 'Host of the instance.' }),
    challenge: Challenge,
    timeout: TimeoutMilliseconds,
    userVerification: UserVerification,
    allowCredentials: Type.Array(CredentialDescriptor, {
      description: 'Passkeys of the signed-in person. Empty if no one is signed in: the person chooses one of theirs.',
    }),
  },
  {
    $id: 'PasskeyRequestOptions',
    description: 'Options for `navigator.credentials.get`.',
    examples: [
      {
        rpId: 'colophon.example.com',
        challenge: exampleChallenge,
        timeout: 300_000,
        userVerification: 'required',
        allowCredentials: [],
      },
    ],
  },
)

const ClientData = Base64Url(4000, 'Challenge and origin, as the browser wrote them down (`clientDataJSON`).')

export const NewCredential = Type.Object(
  {
    id: CredentialId,
    response: Type.Object(
      {
        clientDataJSON: ClientData,
        attestationObject: Base64Url(20_000, 'Public key of the passkey, from the authenticator.'),
        transports: Type.Array(Type.String({ pattern: '^[a-z-]{1,30}$' }), {
          maxItems: 10,
          description: 'How the browser reaches the authenticator (`getTransports()`).',
        }),
      },
      { additionalProperties: false, description: 'Response of the authenticator.' },
    ),
  },
  { additionalProperties: false, description: 'Passkey that `navigator.credentials.create` returned.' },
)

export const SignedChallenge = Type.Object(
  {
    id: CredentialId,
    response: Type.Object(
      {
        clientDataJSON: ClientData,
        authenticatorData: Base64Url(4000, 'What the authenticator says about this use of the passkey.'),
        signature: Base64Url(4000, 'Signature of the authenticator.'),
        userHandle: Type.Union([Base64Url(100, 'ID of the person.'), Type.Null()], {
          description: 'ID of the person that the authenticator stored, or null.',
        }),
      },
      { additionalProperties: false, description: 'Response of the authenticator.' },
    ),
  },
  {
    additionalProperties: false,
    description: 'What `navigator.credentials.get` returned.',
    examples: [
      {
        id: 'q83vEjRWeJA',
        response: {
          clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
          authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ',
          signature: 'MEUCIQDx',
          userHandle: 'cGVyXzAxbTdlaHB2azhlZzJ0M3E5ZDR4NXcwcjdh',
        },
      },
    ],
  },
)
