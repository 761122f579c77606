import type { Pool } from 'pg'
import { SettingsStore } from '../analytics/settings/settings-store.ts'
import type { AnalyticsTables } from '../analytics/tables.ts'
import { AuditStore, actorName, recordAudit } from '../audit/audit-store.ts'
import type { AuditTables } from '../audit/tables.ts'
import { GithubAppStore } from '../github/app-store.ts'
import { GithubAuthorizationStore } from '../github/authorization-store.ts'
import type { GithubTables } from '../github/tables.ts'
import { EventStore } from '../jobs/event-store.ts'
import { JobStore } from '../jobs/job-store.ts'
import { PauseStore } from '../jobs/pause-store.ts'
import { PullRequestStore } from '../jobs/pull-request-store.ts'
import { RunnerStore } from '../jobs/runner-store.ts'
import type { JobTables } from '../jobs/tables.ts'
import { KeyStore } from '../keys/key-store.ts'
import type { KeyTables } from '../keys/tables.ts'
import { BudgetStore } from '../models/budget-store.ts'
import { ModelStore } from '../models/model-store.ts'
import type { ModelTables } from '../models/tables.ts'
import { InvitationStore } from '../people/invitation-store.ts'
import { MemberStore } from '../people/member-store.ts'
import { PersonStore } from '../people/person-store.ts'
import { createRevokeInvitations } from '../people/revoke-invitations.ts'
import type { PeopleTables } from '../people/tables.ts'
import { createDatabase } from '../platform/postgres.ts'
import { ProjectStore } from '../projects/project-store.ts'
import { RepositoryStore } from '../projects/repository-store.ts'
import type { ProjectTables } from '../projects/tables.ts'
import { WebhookDeliveryStore } from '../projects/webhook-delivery-store.ts'

export interface Stores {
  projects: ProjectStore
  members: MemberStore
  keys: KeyStore
  audit: AuditStore
  repositories: RepositoryStore
  deliveries: WebhookDeliveryStore
  githubApps: GithubAppStore
  authorizations: GithubAuthorizationStore
  jobs: JobStore
  events: EventStore
  pauses: PauseStore
  pullRequests: PullRequestStore
  runners: RunnerStore
  models: ModelStore
  budgets: BudgetStore
  analyticsSettings: SettingsStore
  people: PersonStore
  invitations: InvitationStore
}

const revokeInvitations = createRevokeInvitations(recordAudit)

export function openStores(pool: Pool): Stores {
  return {
    projects: new ProjectStore(createDatabase<ProjectTables>(pool), recordAudit),
    members: new MemberStore(createDatabase<PeopleTables>(pool), recordAudit, revokeInvitations),
    keys: new KeyStore(createDatabase<KeyTables>(pool), recordAudit, revokeInvitations),
    audit: new AuditStore(createDatabase<AuditTables>(pool)),
    repositories: new RepositoryStore(createDatabase<ProjectTables>(pool), recordAudit),
    deliveries: new WebhookDeliveryStore(createDatabase<ProjectTables>(pool)),
    githubApps: new GithubAppStore(createDatabase<GithubTables>(pool)),
    authorizations: new GithubAuthorizationStore(createDatabase<GithubTables>(pool)),
    jobs: new JobStore(createDatabase<JobTables>(pool), recordAudit),
    events: new EventStore(createDatabase<JobTables>(pool)),
    pauses: new PauseStore(createDatabase<JobTables>(pool), recordAudit),
    pullRequests: new PullRequestStore(createDatabase<JobTables>(pool)),
    runners: new RunnerStore(createDatabase<JobTables>(pool), recordAudit),
    models: new ModelStore(createDatabase<ModelTables>(pool)),
    budgets: new BudgetStore(createDatabase<ModelTables>(pool), recordAudit),
    analyticsSettings: new SettingsStore(createDatabase<AnalyticsTables>(pool), recordAudit),
    people: new PersonStore(createDatabase<PeopleTables>(pool)),
    invitations: new InvitationStore(createDatabase<PeopleTables>(pool), recordAudit, actorName),
  }
}
