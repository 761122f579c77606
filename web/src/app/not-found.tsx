import { Container, Text, Title } from '@mantine/core'
import { AnchorLink } from '../shown/links.tsx'

export function NotFound() {
  return (
    <Container size="sm" py="xl">
      <Title order={1}>Page not found</Title>
      <Text mt="sm">
        Check the address, or <AnchorLink to="/">go to your projects</AnchorLink>.
      </Text>
    </Container>
  )
}
