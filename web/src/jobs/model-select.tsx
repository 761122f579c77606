import type { AgentModel } from '@colophon/sdk'
import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { AnchorLink } from '../shown/links.tsx'
import { modelsQuery } from './job-queries.ts'

/** An empty name stands for the default model of the project. */
export function ModelSelect({
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
  const defaultModel = models.find(({ isDefault }) => isDefault)
  return (
    <Select
      label="Model"
      placeholder={defaultModel ? `${defaultModel.name} (default)` : data ? 'Choose a model' : 'Loading …'}
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
      data={models.map(toOption)}
      value={model || defaultModel?.name || null}
      onChange={(name) => onChange(name === null || name === defaultModel?.name ? '' : name)}
      allowDeselect={false}
      error={error}
    />
  )
}

const toOption = ({ name, isDefault, prices }: AgentModel) => {
  const price =
    prices.input === null || prices.output === null
      ? ''
      : ` · $${prices.input} in, $${prices.output} out per million tokens`
  return { value: name, label: `${name}${isDefault ? ' (default)' : ''}${price}` }
}
