import type { AgentModel } from '@colophon/sdk'
import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { AnchorLink } from '../shown/links.tsx'
import { modelsQuery } from './job-queries.ts'

/** An empty name is the project's default. */
export function ModelChoice({
  projectId,
  model,
  onChange,
  error,
}: {
  projectId: string
  model: string
  onChange: (model: string) => void
  error: string | undefined
}) {
  const { data } = useQuery(modelsQuery(projectId))
  const models = data?.models ?? []
  const preset = models.find(({ isDefault }) => isDefault)
  return (
    <Select
      label="Model"
      placeholder={preset ? `${preset.name} (default)` : data ? 'Choose a model' : 'Loading …'}
      description={
        data && models.length === 0 ? (
          <>
            The project has no model yet.{' '}
            <AnchorLink to="/projects/$projectId/settings/models" params={{ projectId }} inherit underline="always">
              Add one
            </AnchorLink>
          </>
        ) : undefined
      }
      data={models.map(asOption)}
      value={model || preset?.name || null}
      onChange={(name) => onChange(name === null || name === preset?.name ? '' : name)}
      allowDeselect={false}
      error={error}
    />
  )
}

const asOption = ({ name, isDefault, prices }: AgentModel) => {
  const price =
    prices.input === null || prices.output === null
      ? ''
      : ` · $${prices.input} in, $${prices.output} out per million tokens`
  return { value: name, label: `${name}${isDefault ? ' (default)' : ''}${price}` }
}
