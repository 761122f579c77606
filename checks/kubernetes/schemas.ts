/** JSON schemas of Kubernetes objects for kubeconform, generated from the API description in the source of Kubernetes. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getOrFillCacheDirectory } from '../../testing/services/cache.ts'
import { fetchSource } from '../../testing/services/go-build.ts'
import type { KubernetesModule } from './tools.ts'

interface Definition {
  properties?: Record<string, unknown>
  additionalProperties?: unknown
  'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[]
}

/** Part of the name in the cache: change it together with what is generated. */
const format = 2

/** Returns the value of kubeconform's option `-schema-location`. */
export async function getSchemaLocation(kubernetes: KubernetesModule): Promise<string> {
  const directory = await getOrFillCacheDirectory(
    'kubernetes-schemas',
    `${kubernetes.version}-${format}`,
    async (partDirectory) => {
      const swagger = await readFile(join(await fetchSource(kubernetes), 'api/openapi-spec/swagger.json'), 'utf8')
      await writeSchemas(JSON.parse(swagger).definitions, partDirectory)
    },
  )
  return join(directory, '{{ .ResourceKind }}{{ .KindSuffix }}.json')
}

const sharedFile = '_definitions.json'

async function writeSchemas(swagger: Record<string, Definition>, directory: string): Promise<void> {
  const definitions = Object.fromEntries(
    Object.entries(swagger).map(([name, definition]) => [name, rejectUnknownFields(toJsonSchema(definition))]),
  )
  await writeFile(join(directory, sharedFile), JSON.stringify({ definitions }))
  for (const [name, definition] of Object.entries(swagger)) {
    for (const { group, version, kind } of definition['x-kubernetes-group-version-kind'] ?? []) {
      const file = [kind, group.split('.')[0], version].filter(Boolean).join('-').toLowerCase()
      const reference = { $ref: `${sharedFile}#/definitions/${name}` }
      await writeFile(join(directory, `${file}.json`), JSON.stringify(reference))
    }
  }
}

/** The server ignores unknown fields with a warning, so a typo would have no effect. */
const rejectUnknownFields = (schema: Definition): Definition =>
  schema.properties && schema.additionalProperties === undefined ? { ...schema, additionalProperties: false } : schema

function toJsonSchema<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(toJsonSchema) as Value
  if (typeof value !== 'object' || value === null) return value
  if ('format' in value && value.format === 'int-or-string') {
    return { oneOf: [{ type: 'string' }, { type: 'integer' }] } as Value
  }
  // Descriptions are most of the text, and kubeconform reads it at each start. A property can have the same name.
  const entries = Object.entries(value).filter(([name, entry]) => name !== 'description' || typeof entry !== 'string')
  return Object.fromEntries(entries.map(([name, entry]) => [name, toJsonSchema(entry)])) as Value
}
