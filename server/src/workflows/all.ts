// biome-ignore-all lint/performance/noBarrelFile: Temporal bundles all workflows from one file
export { backUpInstance } from './back-up-instance.ts'
export { deliverToEndpoint } from './deliver-to-endpoint.ts'
export { storeWritableRepositories, testAuthorizedRepository } from './github-authorization.ts'
export { runAgentJob } from './run-agent-job.ts'
export { testStoredModel } from './test-stored-model.ts'
