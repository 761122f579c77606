import type { ColumnType, Generated } from 'kysely'
import type { Id } from '../platform/ids.ts'
import type { MemberRole } from './member-role.ts'

/** Colophon's own tables, and the columns of better-auth's tables that Colophon itself reads and writes. */
export interface PeopleTables {
  project_member: {
    project_id: Id<'prj'>
    id: Id<'mbr'>
    email: string
    role: MemberRole
    /** The person who accepted an invitation to this project. Null: no one has accepted one yet. */
    person_id: Generated<Id<'per'> | null>
    /** Whether groups of the OpenID provider gave the role (`group-roles.ts`). */
    from_groups: Generated<boolean>
    created_at: Generated<Date>
  }
  person: {
    id: Id<'per'>
    name: string
    email: string
    is_operator: Generated<boolean>
    two_factor_enabled: Generated<boolean>
    operator_from_groups: Generated<boolean>
    /** Null: the person never showed that the email address is theirs. */
    email_proven_at: Generated<Date | null>
    /** While set, the person cannot sign in. */
    disabled_at: Generated<Date | null>
    created_at: Generated<Date>
  }
  person_session: {
    id: Id<'ses'>
    person_id: Id<'per'>
    expires_at: Date
    /** Of the network of the client, only the larger part (`toCoarseNetwork`). */
    ip_address: string | null
    user_agent: string | null
    created_at: Generated<Date>
    last_used_at: Generated<Date>
    sign_in_method: string | null
  }
  person_two_factor: {
    id: string
    person_id: Id<'per'>
    /** Encrypted by better-auth, like the recovery codes. */
    secret: string
    backup_codes: string
    /** Whether the person has an authenticator app. */
    verified: Generated<boolean>
    failed_verification_count: Generated<number>
    locked_until: Generated<Date | null>
  }
  person_passkey: {
    id: Id<'psk'>
    person_id: Id<'per'>
    name: string
    credential_id: string
    public_key: Uint8Array
    /** `bigint`, which the driver returns as text. */
    counter: ColumnType<string, number, number>
    transports: string[]
    created_at: Generated<Date>
    last_used_at: Date | null
  }
  passkey_challenge: {
    challenge_hash: Uint8Array
    purpose: 'add' | 'sign_in'
    person_id: Id<'per'> | null
    expires_at: Date
  }
  used_totp_code: { person_id: Id<'per'>; code: string; used_at: Generated<Date> }
  person_account: {
    id: string
    person_id: Id<'per'>
    provider_id: string
    account_id: string
    password: string | null
  }
  one_time_link: { token_hash: Uint8Array; person_id: Id<'per'> | null; expires_at: Date }
  person_verification: { id: string; expires_at: Date }
  invitation: {
    project_id: Id<'prj'>
    id: Id<'inv'>
    token_hash: Uint8Array
    email: string
    role: MemberRole
    /** The actor as in the audit log (`nameOfActor`). */
    invited_by: string
    /** Whether the link was sent by email and to nobody else. */
    proves_email: Generated<boolean>
    created_at: Generated<Date>
    expires_at: Date
  }
  /** `key`: a hash of what is counted (`sign-in-guard.ts`). */
  sign_in_counter: { key: Uint8Array; failures: number; last_failed_at: Date; next_attempt_at: Date }
  person_network: { person_id: Id<'per'>; network: string; last_signed_in_at: Generated<Date> }
  failed_sign_in: {
    person_id: Id<'per'>
    failures: number
    first_failed_at: Generated<Date>
    last_failed_at: Generated<Date>
    emailed_at: Date | null
  }
  invitation_email: { project_id: Id<'prj'>; email: string; at: Generated<Date> }
}
