import type { Pool } from 'pg'
import { SettingsStore } from '../analytics/settings/settings-store.ts'
import type { AnalyticsTables } from '../analytics/tables.ts'
import { AuditStore, recordAudit } from '../audit/audit-store.ts'
import type { AuditTables } from '../audit/tables.ts'
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
import { createDatabase } from '../platform/postgres.ts'
import { MemberStore } from '../projects/member-store.ts'
import { ProjectStore } from '../projects/project-store.ts'
import { RepositoryStore } from '../projects/repository-store.ts'
import type { ProjectTables } from '../projects/tables.ts'

export interface Stores {
  projects: ProjectStore
  members: MemberStore
  keys: KeyStore
  audit: AuditStore
  repositories: RepositoryStore
  jobs: JobStore
  events: EventStore
  pauses: PauseStore
  pullRequests: PullRequestStore
  runners: RunnerStore
  models: ModelStore
  budgets: BudgetStore
  analyticsSettings: SettingsStore
}

export function openStores(pool: Pool): Stores {
  return {
    projects: new ProjectStore(createDatabase<ProjectTables>(pool), recordAudit),
    members: new MemberStore(createDatabase<ProjectTables>(pool), recordAudit),
    keys: new KeyStore(createDatabase<KeyTables>(pool), recordAudit),
    audit: new AuditStore(createDatabase<AuditTables>(pool)),
    repositories: new RepositoryStore(createDatabase<ProjectTables>(pool), recordAudit),
    jobs: new JobStore(createDatabase<JobTables>(pool), recordAudit),
    events: new EventStore(createDatabase<JobTables>(pool)),
    pauses: new PauseStore(createDatabase<JobTables>(pool), recordAudit),
    pullRequests: new PullRequestStore(createDatabase<JobTables>(pool)),
    runners: new RunnerStore(createDatabase<JobTables>(pool)),
    models: new ModelStore(createDatabase<ModelTables>(pool)),
    budgets: new BudgetStore(createDatabase<ModelTables>(pool), recordAudit),
    analyticsSettings: new SettingsStore(createDatabase<AnalyticsTables>(pool), recordAudit),
  }
}
