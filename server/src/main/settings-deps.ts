/** The dependencies of the settings routes on modules that routes may not import. */
import type { Client } from '@temporalio/client'
import type { ModelProviders } from '../api/models/model-providers.ts'
import type { CodeHosts } from '../api/repository/code-hosts.ts'
import { defaultTemplates, validateTemplates } from '../code-hosts/text/pull-request-text.ts'
import { jobTaskQueue } from '../jobs/job-signals.ts'
import { createFindMostAdvancedJob } from '../jobs/most-advanced-job.ts'
import type { JobTables } from '../jobs/tables.ts'
import { createTestStoredModel } from '../models/test-stored-model.ts'
import { createCallWorker, workerCallTimeoutMs } from '../platform/call-worker.ts'
import type { ApiConfig } from '../platform/config.ts'
import type { Log } from '../platform/log.ts'
import { lastAppliedPostgresMigration } from '../platform/migrations/postgres-migrations.ts'
import { createDatabase } from '../platform/postgres.ts'
import { saveModel, testUnsavedModel } from './add-model.ts'
import { connectRepository, testRepository } from './connect-repository.ts'
import type { ConnectedServices } from './connect-services.ts'
import { createGithubConnector } from './github-connector.ts'
import type { Stores } from './open-stores.ts'

export function createSettingsDeps({
  config,
  services: { pool, temporal: connection },
  stores,
  temporal,
  log,
}: {
  config: ApiConfig
  services: ConnectedServices
  stores: Stores
  temporal: Client
  log: Log
}) {
  const codeHosts: CodeHosts = {
    defaultTemplates,
    validateTemplates,
    test: (repository, token) => testRepository(config, repository, token),
    connect: async (projectId, input, token, actor) =>
      (await connectRepository({ stores, pool, config, projectId, input, token, actor })).repository,
  }
  const modelProviders: ModelProviders = {
    test: (model, key) => testUnsavedModel(config, model, key, workerCallTimeoutMs),
    save: (model, key) => saveModel(pool, config, model, key),
  }
  const callWorker = createCallWorker(temporal, connection, jobTaskQueue)
  return {
    codeHosts,
    modelProviders,
    github: createGithubConnector({ config, stores, callWorker, log }),
    testStoredModel: createTestStoredModel(callWorker),
    findMostAdvancedJob: createFindMostAdvancedJob(createDatabase<JobTables>(pool)),
    instanceBudget: config.budget,
    gatewayUrl: config.gatewayUrl,
    readSchemaVersion: () => lastAppliedPostgresMigration(pool),
  }
}
