/** A code host that scenarios run on, and the differences between hosts that they have to know. */
import type { HostTestRepository } from '../../../server/src/code-hosts/testing/host-test-repository.ts'
import type { Stores } from '../../../server/src/main/processes/open-stores.ts'
import type { Id } from '../../../server/src/platform/ids.ts'
import type { PublishingSettings } from '../../../server/src/projects/publishing-settings.ts'
import type { RelayedCall } from '../relay/http-relay.ts'
import type { HostUserClient } from './host-user-client.ts'

/** What a host needs from the service that it is connected to. */
export interface ProofHostDeps {
  stores: Stores
  environment: Record<string, string>
  /** The URL under which Colophon calls the host. */
  relayUrl: string
  apiUrl: string
}

export interface ConnectRepositoryOptions {
  projectId: Id<'prj'>
  publishing: PublishingSettings
  /** The host sends webhooks. */
  hasWebhook: boolean
}

export interface ProofHost {
  createRepository(): Promise<CreatedRepository>
  connect(options: ConnectRepositoryOptions, repository: CreatedRepository): Promise<void>
  /** Recognizes Colophon's calls to the host by what they do for a job. */
  calls: {
    /** Pushes a commit to the job's branch. */
    pushes(call: RelayedCall, jobId: string): boolean
    /** Opens the job's pull request. */
    opensPullRequest(call: RelayedCall, jobId: string): boolean
  }
  /** After its branch is deleted, a pull request no longer names it and cannot be attributed to a job. */
  dropsDeletedBranchNames: boolean
  forgedWebhook(projectId: string, number: number): { path: string; headers: Record<string, string>; body: string }
}

export interface CreatedRepository {
  /** For direct changes, past Colophon. */
  repository: HostTestRepository
  person: HostUserClient
  /** For a runner's own git. */
  git: { url: string; authorization: string }
}
