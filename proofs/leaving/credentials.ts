/**
 * Every column and every operation with a credential, and how the proof `leaving` covers it, or why it is not a way in that a person
 * or a key has. A new one has to be added here.
 */

const ofTheProject = 'of the project or the instance: sealed, and never shown to a person'
const ofTheProvider = 'the provider vouches for a person; a disabled one gets no session (provider.integration.test.ts)'
const ofGithub = 'an OAuth round trip, which only the session of the same person can complete'
const startsPoll = 'signs webhooks: someone who knows it can only trigger an early poll'
const signsWebhooks =
  'sealed, and signs or receives events: it gives no access, and endpoints of a person who leaves are disabled (endpoint-routes.integration.test.ts)'
const submitsViews =
  'submits page views of one project and reads nothing; to revoke it would stop counting, so an owner replaces it (docs/log-drains.md)'
const notASecret = 'not a secret'
const session = 'a session, which the proof checks'
const secondFactor = 'worth nothing without the password'
const challenge = 'worth nothing without a passkey'

export const credentialColumns: Readonly<Record<string, string>> = {
  'api_key.secret_hash': 'keys, child keys',
  'exchanged_id_token.token_hash': 'a token that was exchanged, and is of no use any more',
  'runner.token_hash': 'runners',
  'runner.previous_token_hash': 'previous runner tokens',
  'runner.previous_token_responsible': notASecret,
  'turn_attempt.token_hash': 'turns in progress',
  'turn_attempt.task_token': 'of Temporal, which only worker can reach',
  'invitation.token_hash': 'invitations',
  'one_time_link.token_hash': 'links for setting a password',
  'person_session.token': 'sessions',
  'person_account.password': 'passwords',
  'person_account.access_token': ofTheProvider,
  'person_account.refresh_token': ofTheProvider,
  'person_account.id_token': ofTheProvider,
  'person_verification.value': ofTheProvider,
  'person_passkey.public_key': 'passkeys',
  'passkey_challenge.challenge_hash': challenge,
  'person_two_factor.secret': secondFactor,
  'person_two_factor.backup_codes': secondFactor,
  'used_totp_code.code': 'works only once',
  'sign_in_counter.key': notASecret,
  'github_authorization.state_hash': ofGithub,
  'github_authorization.sealed_code': ofGithub,
  'github_app.sealed_client_secret': ofTheProject,
  'github_app.sealed_private_key': ofTheProject,
  'github_app.webhook_secret': startsPoll,
  'repository.webhook_secret': startsPoll,
  'repository.token_credential_id': notASecret,
  'credential.sealed': ofTheProject,
  'webhook_endpoint.sealed_secret': signsWebhooks,
  'webhook_endpoint.sealed_previous_secret': signsWebhooks,
  'model.sealed_key': ofTheProject,
  'log_drain.secret_hash': submitsViews,
  'log_drain.signing_secret': submitsViews,
}

export const credentialOperations: Readonly<Record<string, string>> = {
  createKey: 'keys, child keys',
  exchangeToken: 'keys of federated identities, which the proof ci-federation checks',
  createRunner: 'runners',
  rotateRunnerToken: 'runners, previous runner tokens',
  createInvitation: 'invitations',
  createWebhookEndpoint: signsWebhooks,
  rotateWebhookSecret: signsWebhooks,
  createLogDrain: submitsViews,
  createFirstOwner: session,
  acceptInvitation: session,
  signIn: session,
  verifySecondFactor: session,
  confirmAuthenticator: session,
  startPasskeySignIn: challenge,
  signInWithPasskey: 'passkeys',
  startPasskey: challenge,
  addPasskey: 'passkeys',
  signOut: 'ends a session',
  changePassword: session,
  resetPassword: session,
  startProviderSignIn: ofTheProvider,
}
