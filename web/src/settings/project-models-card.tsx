import type { AgentModel, ProjectSettings } from '@colophon/sdk'
import { Box, Divider, Group, Radio, Stack, Text } from '@mantine/core'
import { EmptyState } from '../shown/empty-state.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { formatPrice, formatTokens } from './format-amounts.ts'
import { SettingsCard } from './settings-card.tsx'
import { TestModelButton } from './test-model-button.tsx'
import { useChangeProjectSettings } from './use-change-project-settings.ts'

/** Value of the radio button for the default of the instance. The name of a model is never empty. */
const instanceDefault = ''

export function ProjectModelsCard({
  projectId,
  settings: { defaultModel, instanceDefaultModel },
  models,
  canChange,
  canTest,
  isOperator,
}: {
  projectId: string
  settings: ProjectSettings
  models: readonly AgentModel[]
  canChange: boolean
  canTest: boolean
  isOperator: boolean
}) {
  const change = useChangeProjectSettings(projectId, 'Saved. New jobs use this model.')
  if (models.length === 0) {
    return (
      <EmptyState title="No models yet">
        Jobs need a model. {isOperator ? 'Add one below.' : 'Ask an operator of this instance to add one.'}
      </EmptyState>
    )
  }
  const selected = change.isPending
    ? (change.variables.defaultModel ?? instanceDefault)
    : (defaultModel ?? instanceDefault)
  return (
    <SettingsCard title="Default model" lead="Jobs use this model unless they choose another one from the list.">
      <Radio.Group
        aria-label="Default model"
        value={selected}
        onChange={(name) => change.mutate({ defaultModel: name === instanceDefault ? null : name })}
      >
        <Stack gap="sm">
          <Radio
            value={instanceDefault}
            label="Default of the instance"
            description={
              instanceDefaultModel
                ? `Currently ${instanceDefaultModel}`
                : 'The instance has no default. Choose a model below'
            }
            disabled={!canChange}
          />
          {models.map((model) => (
            <Box key={model.name}>
              <Divider mb="sm" />
              <Group justify="space-between" align="flex-start" gap="sm">
                <Radio
                  value={model.name}
                  label={model.name}
                  styles={{ label: { overflowWrap: 'anywhere' } }}
                  description={describeModel(model)}
                  disabled={!canChange}
                />
                {canTest && <TestModelButton projectId={projectId} model={model.name} />}
              </Group>
            </Box>
          ))}
        </Stack>
      </Radio.Group>
      <ErrorAlert error={change.error} />
      <Text size="sm" c="dimmed">
        Prices are per million input and output tokens.
      </Text>
    </SettingsCard>
  )
}

const describeModel = ({ contextWindowTokens, prices: { input, output } }: AgentModel): string => {
  const price =
    input === null && output === null ? 'unknown price' : `${formatPrice(input)} input, ${formatPrice(output)} output`
  return `${formatTokens(contextWindowTokens)} context · ${price}`
}
