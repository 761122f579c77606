import type { AgentModel, ProjectSettings } from '@colophon/sdk'
import { Box, Divider, Group, Radio, Stack, Text } from '@mantine/core'
import { EmptyState } from '../shown/empty-state.tsx'
import { Failure } from '../shown/failure.tsx'
import { priceInWords, tokensInWords } from './amounts.ts'
import { SettingsCard } from './settings-card.tsx'
import { TestModel } from './test-model.tsx'
import { useChangeSettings } from './use-change-settings.ts'

/** In the radio group, where a name is never empty. */
const asInstalled = ''

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
  const change = useChangeSettings(projectId, 'New jobs use it from now on.')
  if (models.length === 0) {
    return (
      <EmptyState title="No models yet">
        Jobs need one. {isOperator ? 'Add the first one below.' : 'Whoever runs this installation can add one.'}
      </EmptyState>
    )
  }
  const chosen = change.isPending ? (change.variables.defaultModel ?? asInstalled) : (defaultModel ?? asInstalled)
  return (
    <SettingsCard title="This project's model" lead="Used by jobs that name none. A job may name any of these.">
      <Radio.Group
        aria-label="Model of jobs that name none"
        value={chosen}
        onChange={(name) => change.mutate({ defaultModel: name === asInstalled ? null : name })}
      >
        <Stack gap="sm">
          <Radio
            value={asInstalled}
            label="As the installation has it"
            description={instanceDefaultModel ? `Now ${instanceDefaultModel}` : 'It has no default: choose one'}
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
                  description={describe(model)}
                  disabled={!canChange}
                />
                {canTest && <TestModel projectId={projectId} model={model.name} />}
              </Group>
            </Box>
          ))}
        </Stack>
      </Radio.Group>
      <Failure error={change.error} />
      <Text size="sm" c="dimmed">
        Prices are per million tokens, read and written.
      </Text>
    </SettingsCard>
  )
}

const describe = ({ contextWindowTokens, prices: { input, output } }: AgentModel): string => {
  const price =
    input === null && output === null ? 'price not known' : `${priceInWords(input)} in, ${priceInWords(output)} out`
  return `${tokensInWords(contextWindowTokens)} of context · ${price}`
}
