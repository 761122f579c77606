import type { Pool } from 'pg'
import { AnalyticsSettingsStore } from '../analytics/settings/analytics-settings-store.ts'
import type { AnalyticsTables } from '../analytics/tables.ts'
import { AuditStore, formatActor, recordAudit } from '../audit/audit-store.ts'
import type { AuditTables } from '../audit/tables.ts'
import { GithubAppStore } from '../github/app-store.ts'
import { GithubAuthorizationStore } from '../github/authorization-store.ts'
import type { GithubTables } from '../github/tables.ts'
import { AgentEventStore } from '../jobs/agent-event-store.ts'
import { JobStore } from '../jobs/job-store.ts'
import { ProjectPauseStore } from '../jobs/project-pause-store.ts'
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
import { createInvitationRevoker } from '../people/revoke-invitations.ts'
import type { PeopleTables } from '../people/tables.ts'
import { createKyselyDatabase } from '../platform/postgres.ts'
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
  events: AgentEventStore
  pauses: ProjectPauseStore
  pullRequests: PullRequestStore
  runners: RunnerStore
  models: ModelStore
  budgets: BudgetStore
  analyticsSettings: AnalyticsSettingsStore
  people: PersonStore
  invitations: InvitationStore
}

const revokeInvitations = createInvitationRevoker(recordAudit)

export function openStores(pool: Pool): Stores {
  return {
    projects: new ProjectStore(createKyselyDatabase<ProjectTables>(pool), recordAudit),
    members: new MemberStore(createKyselyDatabase<PeopleTables>(pool), recordAudit, revokeInvitations),
    keys: new KeyStore(createKyselyDatabase<KeyTables>(pool), recordAudit, revokeInvitations),
    audit: new AuditStore(createKyselyDatabase<AuditTables>(pool)),
    repositories: new RepositoryStore(createKyselyDatabase<ProjectTables>(pool), recordAudit),
    deliveries: new WebhookDeliveryStore(createKyselyDatabase<ProjectTables>(pool)),
    githubApps: new GithubAppStore(createKyselyDatabase<GithubTables>(pool)),
    authorizations: new GithubAuthorizationStore(createKyselyDatabase<GithubTables>(pool)),
    jobs: new JobStore(createKyselyDatabase<JobTables>(pool), recordAudit),
    events: new AgentEventStore(createKyselyDatabase<JobTables>(pool)),
    pauses: new ProjectPauseStore(createKyselyDatabase<JobTables>(pool), recordAudit),
    pullRequests: new PullRequestStore(createKyselyDatabase<JobTables>(pool)),
    runners: new RunnerStore(createKyselyDatabase<JobTables>(pool), recordAudit),
    models: new ModelStore(createKyselyDatabase<ModelTables>(pool)),
    budgets: new BudgetStore(createKyselyDatabase<ModelTables>(pool), recordAudit),
    analyticsSettings: new AnalyticsSettingsStore(createKyselyDatabase<AnalyticsTables>(pool), recordAudit),
    people: new PersonStore(createKyselyDatabase<PeopleTables>(pool)),
    invitations: new InvitationStore(createKyselyDatabase<PeopleTables>(pool), recordAudit, formatActor),
  }
}
