import type { InstanceModel } from '@colophon/sdk'
import { Badge, Button, Divider, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { client } from '../app/client.ts'
import { useFreshSession } from '../people/fresh-session.tsx'
import { Failure } from '../shown/failure.tsx'
import { AddModel } from './add-model.tsx'
import { DangerButton } from './danger-button.tsx'
import { formatNames } from './model-presets.ts'
import { instanceModelsQuery } from './queries.ts'
import { tellSaved } from './saved.ts'
import { SettingsCard } from './settings-card.tsx'
import { SureModal } from './sure-modal.tsx'

/** For those who run the installation: the models of all projects. */
export function InstanceModelsCard() {
  const queryClient = useQueryClient()
  const fresh = useFreshSession()
  const { data, error } = useQuery(instanceModelsQuery)
  const [isAdding, adding] = useDisclosure()
  const [removed, setRemoved] = useState<InstanceModel>()
  const settle = async (response: { models: InstanceModel[] }) => {
    queryClient.setQueryData(instanceModelsQuery.queryKey, response)
    await Promise.all([['models'], ['project-settings']].map((queryKey) => queryClient.invalidateQueries({ queryKey })))
  }
  const remove = useMutation({
    mutationFn: (name: string) => fresh(() => client.models.remove(name)),
    onSuccess: (response, name) => {
      setRemoved(undefined)
      tellSaved(`${name} is gone, and with it its key.`)
      return settle(response)
    },
  })
  const makeDefault = useMutation({
    mutationFn: (name: string) => fresh(() => client.models.makeDefault(name)),
    onSuccess: settle,
  })
  const models = data?.models ?? []
  return (
    <SettingsCard
      title="Models of the installation"
      lead="You run this installation: what you change here is for all its projects."
    >
      <Failure error={error ?? makeDefault.error} />
      {models.map((model, index) => (
        <Fragment key={model.name}>
          {index > 0 && <Divider />}
          <Group justify="space-between" gap="sm">
            <Stack gap={2} style={{ minWidth: 0 }}>
              <Group gap="xs">
                <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
                  {model.name}
                </Text>
                {model.isDefault && (
                  <Badge tt="none" variant="light">
                    Default
                  </Badge>
                )}
                {model.projectIds && (
                  <Badge tt="none" variant="light" color="gray">
                    {model.projectIds.length} {model.projectIds.length === 1 ? 'project' : 'projects'}
                  </Badge>
                )}
              </Group>
              <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {model.providerModel} at {model.baseUrl} · {formatNames[model.format]} ·{' '}
                {model.hasKey ? 'with a key' : 'without a key'}
              </Text>
            </Stack>
            <Group gap="xs">
              {!model.isDefault && (
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`Make default: ${model.name}`}
                  onClick={() => makeDefault.mutate(model.name)}
                >
                  Make default
                </Button>
              )}
              <DangerButton of={model.name} onClick={() => setRemoved(model)}>
                Remove
              </DangerButton>
            </Group>
          </Group>
        </Fragment>
      ))}
      {data && models.length === 0 && (
        <Text size="sm" c="dimmed">
          There are none yet.
        </Text>
      )}
      <Group>
        <Button onClick={adding.open}>Add a model</Button>
      </Group>
      <Modal opened={isAdding} onClose={adding.close} title="Add a model" size="lg">
        <AddModel isFirst={models.length === 0} onDone={adding.close} />
      </Modal>
      <SureModal
        opened={removed !== undefined}
        title={`Remove ${removed?.name ?? ''}?`}
        action="Remove model"
        mutation={remove}
        onConfirm={() => removed && remove.mutate(removed.name)}
        onClose={() => setRemoved(undefined)}
      >
        Its key is deleted. Jobs that are for it get no more answers, and projects that chose it go back to the
        installation's default.
      </SureModal>
    </SettingsCard>
  )
}
