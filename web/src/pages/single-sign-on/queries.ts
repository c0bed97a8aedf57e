import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api.js';
import type { CreateIdentityProvider, IdentityProvider, IdentityProviderTest } from '../../wire.js';

const queryKey = ['identity-providers'];

export const useIdentityProviders = () =>
  useQuery({
    queryKey,
    queryFn: ({ signal }) => api.get<{ data: IdentityProvider[] }>('/identity-providers', {}, signal),
  });

export function useSaveIdentityProvider(id: string | null) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CreateIdentityProvider) => {
      // An empty secret leaves the stored one unchanged.
      const { client_secret, ...rest } = body;
      return id === null
        ? api.post<IdentityProvider>('/identity-providers', body)
        : api.patch<IdentityProvider>(`/identity-providers/${id}`, client_secret === '' ? rest : body);
    },
    onSuccess: () => client.invalidateQueries({ queryKey }),
  });
}

export function useDeleteIdentityProvider() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.delete(`/identity-providers/${id}`),
    onSuccess: () => client.invalidateQueries({ queryKey }),
  });
}

export const useTestIdentityProvider = () =>
  useMutation({
    mutationFn: (id: string) => api.post<IdentityProviderTest>(`/identity-providers/${id}/test`),
  });
