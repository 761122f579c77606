import { loadCredentialCommandConfig } from '../../platform/config.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Id } from '../../platform/ids.ts'
import { createSealer } from '../../platform/sealed-secrets/sealed-secret.ts'
import { type CommandGroup, defineCommand } from '../command-line.ts'
import { addModelOptions, parseAddModelOptions, testUnsavedModel } from './add-model.ts'
import { note, operator, print, printFields, project, projects, readStdin, withStores } from './admin-io.ts'
import { createTextParser, parseWholeNumber } from './option-parsers.ts'

const modelName = {
  placeholder: 'NAME',
  description: 'Name of the model',
  required: true,
  parse: createTextParser(100),
} as const

export const modelCommands = {
  'model add': defineCommand({
    summary: 'Add a model',
    description: [
      "The provider's API key is read from standard input; empty input means that the provider needs none.",
      'The model is tested with one tiny call before it is saved.',
    ].join('\n'),
    options: {
      ...addModelOptions,
      projects,
      default: { description: 'Make it the default model' },
      'no-test': { description: 'Save the model without testing it' },
    },
    async run(options) {
      const model = {
        ...parseAddModelOptions(options),
        projectIds: options.projects ?? null,
        isDefault: options.default ?? false,
      }
      const config = loadCredentialCommandConfig()
      const key = (await readStdin("the provider's API key, or nothing if it needs none")) || null
      const failure = options['no-test'] ? undefined : await testUnsavedModel(config, model, key)
      if (failure)
        throw new Problem('invalid_request', `${failure} The model was not saved. To skip the test, use --no-test.`)
      await withStores(({ models }) => models.add(model, key, createSealer(config.sealingKeys), operator))
      note(`The model ${model.name} is available to ${describeProjects(model.projectIds)}.`)
    },
  }),

  'model list': defineCommand({
    summary: "List the models: name, format, URL, provider's name, projects, default or not",
    options: {},
    run: () =>
      withStores(async ({ models }) => {
        for (const { name, format, baseUrl, providerModel, projectIds, isDefault } of await models.list()) {
          const allowed = projectIds?.join(',') ?? 'all projects'
          print(`${name}  ${format}  ${baseUrl}  ${providerModel}  ${allowed}${isDefault ? '  default' : ''}`)
        }
      }),
  }),

  'model remove': defineCommand({
    summary: 'Remove a model and its API key',
    options: { name: modelName },
    run: ({ name }) =>
      withStores(async ({ models }) => {
        await models.remove(name, operator)
        note(`The model ${name} and its key are removed. Jobs that use it fail at their next model call.`)
      }),
  }),

  'model allow': defineCommand({
    summary: 'Set which projects may use a model',
    options: { name: modelName, projects },
    run: (options) =>
      withStores(async ({ models }) => {
        const projectIds = options.projects ?? null
        await models.setAllowedProjects(options.name, projectIds, operator)
        note(`The model ${options.name} is available to ${describeProjects(projectIds)}.`)
      }),
  }),

  'budget set': defineCommand({
    summary: 'Set the budget of a project',
    description:
      'A budget below the limits of the instance, which are settings. Omitted values are reset: then only these apply.',
    options: {
      project,
      'max-tokens-per-job': { placeholder: 'N', description: 'Maximum tokens per job', parse: parseWholeNumber },
      'max-tokens-per-month': { placeholder: 'N', description: 'Maximum tokens per month', parse: parseWholeNumber },
      'max-usd-per-month': { placeholder: 'N', description: 'Maximum US dollars per month', parse: parseWholeNumber },
    },
    run: (options) =>
      withStores(async (stores) => {
        const { id, name } = await stores.projects.get(options.project)
        const budget = {
          maxTokensPerJob: options['max-tokens-per-job'] ?? null,
          maxTokensPerMonth: options['max-tokens-per-month'] ?? null,
          maxUsdPerMonth: options['max-usd-per-month'] ?? null,
        }
        await stores.budgets.set(id, budget, operator)
        note(
          `The budget of ${name} is set. Where a limit of the instance is lower, or a value is omitted, that limit applies.`,
        )
      }),
  }),

  'budget show': defineCommand({
    summary: 'Show the budget of a project and its usage in the current month (UTC)',
    options: { project },
    run: (options) =>
      withStores(async (stores) => {
        const { id } = await stores.projects.get(options.project)
        const { own, used } = await stores.budgets.read(id)
        printFields({
          'max-tokens-per-job': own.maxTokensPerJob ?? 'limit of the instance',
          'max-tokens-per-month': own.maxTokensPerMonth ?? 'limit of the instance',
          'max-usd-per-month': own.maxUsdPerMonth ?? 'limit of the instance',
          'tokens-this-month': used.tokens,
          'usd-this-month': used.costUsd,
        })
      }),
  }),
} satisfies CommandGroup['commands']

const describeProjects = (projectIds: readonly Id<'prj'>[] | null) =>
  projectIds ? projectIds.join(', ') : 'all projects'
