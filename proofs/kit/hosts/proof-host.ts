/** A code host that scenarios are played on, and what they need to know of the differences between hosts. */
import type { Pool } from 'pg'
import type { HostRepository } from '../../../server/src/code-hosts/testing/host-repository.ts'
import type { Stores } from '../../../server/src/main/open-stores.ts'
import type { Id } from '../../../server/src/platform/ids.ts'
import type { PublishingSettings } from '../../../server/src/projects/publishing-settings.ts'
import type { RelayedCall } from '../faulty-relay.ts'
import type { HostPerson } from './host-person.ts'

/** What a host needs of the service that it is connected to. */
export interface ProofHostDeps {
  stores: Stores
  pool: Pool
  environment: Record<string, string>
  /** Of the host, as Colophon calls it. */
  relayUrl: string
  apiUrl: string
}

export interface WantedConnection {
  projectId: Id<'prj'>
  publishing: PublishingSettings
  /** The host is to tell us what happens there. */
  isHooked: boolean
}

export interface ProofHost {
  makeRepository(): Promise<MadeRepository>
  connect(wanted: WantedConnection, made: MadeRepository): Promise<void>
  /** Calls of ours to the host, by what they do for a job. */
  calls: {
    /** Puts a commit on its branch. */
    puts(call: RelayedCall, jobId: string): boolean
    /** Opens its pull request. */
    opens(call: RelayedCall, jobId: string): boolean
  }
  /** A pull request no longer says which branch it was from, and cannot be known as a job's. */
  forgetsDeletedBranches: boolean
  forgedHook(projectId: string, number: number): { path: string; headers: Record<string, string>; body: string }
}

export interface MadeRepository {
  /** The same as an outsider does things to it. */
  repository: HostRepository
  person: HostPerson
  /** For a runner's own git. */
  git: { url: string; authorization: string }
}
