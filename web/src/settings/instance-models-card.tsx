import type { InstanceModel } from '@colophon/sdk'
import { Badge, Button, Divider, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { client } from '../app/client.ts'
import { useReauthentication } from '../people/reauthentication.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { AddModelForm } from './add-model-form.tsx'
import { ConfirmModal } from './confirm-modal.tsx'
import { DangerButton } from './danger-button.tsx'
import { notifySaved } from './notify-saved.ts'
import { modelFormatLabels } from './provider-presets.ts'
import { instanceModelsQuery } from './queries.ts'
import { SettingsCard } from './settings-card.tsx'

/** For operators: the models that all projects can use. */
export function InstanceModelsCard() {
  const queryClient = useQueryClient()
  const withReauthentication = useReauthentication()
  const { data, error } = useQuery(instanceModelsQuery)
  const [isAdding, adding] = useDisclosure()
  const [removing, setRemoving] = useState<InstanceModel>()
  const refresh = async (response: { models: InstanceModel[] }) => {
    queryClient.setQueryData(instanceModelsQuery.queryKey, response)
    await Promise.all([['models'], ['project-settings']].map((queryKey) => queryClient.invalidateQueries({ queryKey })))
  }
  const remove = useMutation({
    mutationFn: (name: string) => withReauthentication(() => client.models.remove(name)),
    onSuccess: (response, name) => {
      setRemoving(undefined)
      notifySaved(`${name} and its API key have been removed.`)
      return refresh(response)
    },
  })
  const makeDefault = useMutation({
    mutationFn: (name: string) => withReauthentication(() => client.models.setDefault(name)),
    onSuccess: refresh,
  })
  const models = data?.models ?? []
  return (
    <SettingsCard
      title="Models of this instance"
      lead="You are an operator of this instance. Changes here apply to all projects."
    >
      <ErrorAlert error={error ?? makeDefault.error} />
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
                {model.providerModel} at {model.baseUrl} · {modelFormatLabels[model.format]} ·{' '}
                {model.hasKey ? 'with API key' : 'without API key'}
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
              <DangerButton subject={model.name} onClick={() => setRemoving(model)}>
                Remove
              </DangerButton>
            </Group>
          </Group>
        </Fragment>
      ))}
      {data && models.length === 0 && (
        <Text size="sm" c="dimmed">
          No models yet. Add one so that jobs can run.
        </Text>
      )}
      <Group>
        <Button onClick={adding.open}>Add model</Button>
      </Group>
      <Modal opened={isAdding} onClose={adding.close} title="Add a model" size="lg">
        <AddModelForm isFirst={models.length === 0} onDone={adding.close} />
      </Modal>
      <ConfirmModal
        opened={removing !== undefined}
        title={`Remove ${removing?.name ?? ''}?`}
        action="Remove model"
        mutation={remove}
        onConfirm={() => removing && remove.mutate(removing.name)}
        onClose={() => setRemoving(undefined)}
      >
        Its API key is deleted. Jobs that use this model fail, and projects that chose it use the default model of the
        instance instead.
      </ConfirmModal>
    </SettingsCard>
  )
}
