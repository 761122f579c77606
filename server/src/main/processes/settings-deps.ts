/** The dependencies of the settings routes on modules that routes may not import. */
import type { Client } from '@temporalio/client'
import type { ModelConnector } from '../../api/models/model-connector.ts'
import type { RepositoryConnector } from '../../api/repository/repository-connector.ts'
import { defaultPublishingTemplates, validateTemplates } from '../../code-hosts/text/pull-request-text.ts'
import { jobTaskQueue } from '../../jobs/job-signaler.ts'
import { createFindMostAdvancedJob } from '../../jobs/most-advanced-job.ts'
import { createStoredModelTester } from '../../models/stored-model-tester.ts'
import { createWorkerCaller, workerCallTimeoutMs } from '../../platform/call-worker.ts'
import type { ApiConfig } from '../../platform/config.ts'
import type { Log } from '../../platform/log.ts'
import { lastAppliedPostgresMigration } from '../../platform/migrations/postgres-migrations.ts'
import { createSealer } from '../../platform/sealed-secrets/sealed-secret.ts'
import { testUnsavedModel } from '../admin/add-model.ts'
import { connectRepository, testRepositoryConnection } from '../use-cases/connect-repository.ts'
import { createGithubConnector } from '../use-cases/github-connector.ts'
import type { ServiceClients } from './create-service-clients.ts'
import type { Stores } from './open-stores.ts'

export function createSettingsDeps({
  config,
  services: { pool, database, temporal: connection },
  stores,
  temporal,
  log,
}: {
  config: ApiConfig
  services: ServiceClients
  stores: Stores
  temporal: Client
  log: Log
}) {
  const connectConfig = { ...config, hiddenCauseLog: log }
  const codeHosts: RepositoryConnector = {
    defaultTemplates: defaultPublishingTemplates,
    validateTemplates,
    test: (repository, token) => testRepositoryConnection(connectConfig, repository, token),
    connect: async (projectId, input, token, actor) =>
      (await connectRepository({ stores, config: connectConfig, projectId, input, token, actor })).repository,
  }
  const modelProviders: ModelConnector = {
    test: (model, key) => testUnsavedModel(config, model, key, workerCallTimeoutMs),
    save: (model, key, actor) => stores.models.add(model, key, createSealer(config.sealingKeys), actor),
  }
  const callWorker = createWorkerCaller(temporal, connection, jobTaskQueue)
  return {
    codeHosts,
    modelProviders,
    github: createGithubConnector({ config, stores, callWorker, log }),
    testStoredModel: createStoredModelTester(callWorker),
    findMostAdvancedJob: createFindMostAdvancedJob(database),
    endpointSealer: createSealer(config.sealingKeys),
    ceilings: config.budget,
    gatewayUrl: config.gatewayUrl,
    securityContact: config.securityContact,
    readSchemaVersion: () => lastAppliedPostgresMigration(pool),
  }
}
