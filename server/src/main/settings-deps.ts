/** What the routes of settings need of parts that routes do not know. */
import type { Client } from '@temporalio/client'
import type { ModelProviders } from '../api/models/model-providers.ts'
import type { CodeHosts } from '../api/repository/code-hosts.ts'
import { defaultTemplates, problemsOfTemplates } from '../code-hosts/text/pull-request-text.ts'
import { createFindFurthestJob } from '../jobs/furthest-job.ts'
import type { JobTables } from '../jobs/tables.ts'
import { jobTaskQueue } from '../jobs/wake-job.ts'
import { createTestStoredModel } from '../models/stored-model-test.ts'
import { createAskWorker, workerPatienceMs } from '../platform/ask-worker.ts'
import type { ApiConfig } from '../platform/config.ts'
import type { Log } from '../platform/log.ts'
import { postgresVersion } from '../platform/migrations/postgres-migrations.ts'
import { createDatabase } from '../platform/postgres.ts'
import { saveModel, testTypedModel } from './add-model.ts'
import { connectRepository, testRepository } from './connect-repository.ts'
import type { ConnectedServices } from './connect-services.ts'
import { createGithubDoor } from './github-door.ts'
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
    problemsOfTemplates,
    test: (wanted, token) => testRepository(config, wanted, token),
    connect: async (projectId, wanted, token, actor) =>
      (await connectRepository({ stores, pool, config, projectId, wanted, token, actor })).repository,
  }
  const modelProviders: ModelProviders = {
    test: (model, key) => testTypedModel(config, model, key, workerPatienceMs),
    save: (model, key) => saveModel(pool, config, model, key),
  }
  const askWorker = createAskWorker(temporal, connection, jobTaskQueue)
  return {
    codeHosts,
    modelProviders,
    github: createGithubDoor({ config, stores, askWorker, log }),
    testStoredModel: createTestStoredModel(askWorker),
    findFurthestJob: createFindFurthestJob(createDatabase<JobTables>(pool)),
    instanceBudget: config.budget,
    gatewayUrl: config.gatewayUrl,
    readSchemaVersion: () => postgresVersion(pool),
  }
}
