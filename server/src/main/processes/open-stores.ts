import { LogDrainStore } from '../../analytics/log-drains/log-drain-store.ts'
import { AnalyticsSettingsStore } from '../../analytics/settings/analytics-settings-store.ts'
import { scopesByRole } from '../../api/caller.ts'
import { AuditExportStore } from '../../audit/audit-export-store.ts'
import { AuditStore } from '../../audit/audit-store.ts'
import type { Database } from '../../database/database.ts'
import { GithubAppStore } from '../../github/app-store.ts'
import { GithubAuthorizationStore } from '../../github/authorization-store.ts'
import { AgentEventStore } from '../../jobs/agent-event-store.ts'
import { ApprovalStore } from '../../jobs/approval-store.ts'
import { AttemptStore } from '../../jobs/attempt-store.ts'
import { JobStore } from '../../jobs/job-store.ts'
import { ProjectPauseStore } from '../../jobs/project-pause-store.ts'
import { PullRequestStore } from '../../jobs/pull-request-store.ts'
import { RunnerStore } from '../../jobs/runner-store.ts'
import { TurnStore } from '../../jobs/turn-store.ts'
import { FederatedIdentityStore } from '../../keys/federation/federated-identity-store.ts'
import { KeyStore } from '../../keys/key-store.ts'
import { BudgetNoticeStore } from '../../models/budget-notice-store.ts'
import { BudgetStore } from '../../models/budget-store.ts'
import { ModelCallStore } from '../../models/model-call-store.ts'
import { ModelStore } from '../../models/model-store.ts'
import { SpendStore } from '../../models/spend-store.ts'
import { Offboarding } from '../../offboarding/offboarding.ts'
import { AccountStore } from '../../people/account-store.ts'
import { GroupRoleStore } from '../../people/group-roles.ts'
import { InvitationStore } from '../../people/invitation-store.ts'
import { MemberStore } from '../../people/member-store.ts'
import { PersonStore } from '../../people/person-store.ts'
import { ProjectDeletionStore } from '../../project-deletion/project-deletion-store.ts'
import { CredentialStore } from '../../projects/credential-store.ts'
import { ProjectStore } from '../../projects/project-store.ts'
import { RepositoryStore } from '../../projects/repository-store.ts'
import { WebhookDeliveryStore } from '../../projects/webhook-delivery-store.ts'
import { DeliveryStore } from '../../webhooks/delivery-store.ts'
import { EndpointStore } from '../../webhooks/endpoint-store.ts'

export type Stores = ReturnType<typeof openStores>

const offboarding = new Offboarding(scopesByRole)

/** Every store that needs nothing but the database. */
export const openStores = (database: Database) => ({
  projects: new ProjectStore(database),
  projectDeletions: new ProjectDeletionStore(database, offboarding),
  members: new MemberStore(database, offboarding),
  keys: new KeyStore(database, offboarding),
  federatedIdentities: new FederatedIdentityStore(database, offboarding),
  audit: new AuditStore(database),
  auditExports: new AuditExportStore(database),
  repositories: new RepositoryStore(database),
  credentials: new CredentialStore(database),
  deliveries: new WebhookDeliveryStore(database),
  githubApps: new GithubAppStore(database),
  authorizations: new GithubAuthorizationStore(database),
  jobs: new JobStore(database),
  approvals: new ApprovalStore(database),
  turns: new TurnStore(database),
  attempts: new AttemptStore(database),
  events: new AgentEventStore(database),
  pauses: new ProjectPauseStore(database),
  pullRequests: new PullRequestStore(database),
  runners: new RunnerStore(database, offboarding),
  models: new ModelStore(database),
  modelCalls: new ModelCallStore(database),
  budgets: new BudgetStore(database),
  budgetNotices: new BudgetNoticeStore(database),
  spend: new SpendStore(database),
  analyticsSettings: new AnalyticsSettingsStore(database),
  logDrains: new LogDrainStore(database, offboarding),
  people: new PersonStore(database),
  accounts: new AccountStore(database, offboarding),
  groupRoles: new GroupRoleStore(database, offboarding),
  invitations: new InvitationStore(database, offboarding),
  endpoints: new EndpointStore(database, offboarding),
  endpointDeliveries: new DeliveryStore(database),
})
