"""The scattering transform in plain PyTorch, path by path: stands in for kymatio where that cannot be imported.

Conventions are those of docs/method.md's features, so its numbers can be compared with ours (bench/others.py does).
"""
import math

import numpy as np
import torch


def gabor(rows, cols, sigma, theta, xi, slant):
    """A Gabor function on a torus, summed over the 5 x 5 nearest periods."""
    rotation = np.array([[math.cos(theta), -math.sin(theta)], [math.sin(theta), math.cos(theta)]])
    curve = rotation @ np.diag([1, slant**2]) @ rotation.T / (2 * sigma**2)
    total = np.zeros((rows, cols), complex)
    for shift_x in range(-2, 3):
        for shift_y in range(-2, 3):
            x, y = np.mgrid[shift_x * rows:(shift_x + 1) * rows, shift_y * cols:(shift_y + 1) * cols]
            envelope = curve[0, 0] * x * x + (curve[0, 1] + curve[1, 0]) * x * y + curve[1, 1] * y * y
            total += np.exp(-envelope + 1j * (x * xi * math.cos(theta) + y * xi * math.sin(theta)))
    return total / (2 * math.pi * sigma**2 / slant)


def morlet(rows, cols, sigma, theta, xi, slant):
    wave, envelope = gabor(rows, cols, sigma, theta, xi, slant), gabor(rows, cols, sigma, theta, 0, slant)
    return wave - wave.sum() / envelope.sum() * envelope


def coarser(spectrum, resolution):
    """A filter's spectrum for a grid subsampled by 2^resolution: low frequencies kept, the rest folded."""
    rows, cols = spectrum.shape
    factor = 2**resolution
    if resolution:
        mask = np.ones(spectrum.shape)
        mask[rows // (2 * factor):rows - rows // (2 * factor), :] = 0
        mask[:, cols // (2 * factor):cols - cols // (2 * factor)] = 0
        spectrum = spectrum * mask
    return spectrum.reshape(factor, rows // factor, factor, cols // factor).sum(axis=(0, 2))


class Scattering:
    def __init__(self, size, J, L):
        unit = 2**J
        self.J, self.L, self.size = J, L, size
        self.padded = ((size + unit) // unit + 1) * unit
        self.before = (self.padded - size) // 2
        as_tensor = lambda f: torch.from_numpy(np.real(f).astype(np.float32))
        self.psi = {}
        for j in range(J):
            for t in range(L):
                theta = (int(L - L / 2 - 1) - t) * math.pi / L
                wave = morlet(self.padded, self.padded, 0.8 * 2**j, theta, 3 / 4 * math.pi / 2**j, 4 / L)
                spectrum = np.real(np.fft.fft2(wave))
                for resolution in range(j + 1):
                    self.psi[j, t, resolution] = as_tensor(coarser(spectrum, resolution))
        low = np.real(np.fft.fft2(gabor(self.padded, self.padded, 0.8 * 2**(J - 1), 0, 0, 1)))
        self.phi = [as_tensor(coarser(low, resolution)) for resolution in range(J)]

    @staticmethod
    def subsample(spectrum, factor):
        n, rows, cols = spectrum.shape
        return spectrum.reshape(n, factor, rows // factor, factor, cols // factor).mean(dim=(1, 3))

    def smooth(self, spectrum, resolution):
        """Low-pass, subsampled to 2^J, borders cut."""
        low = self.subsample(spectrum * self.phi[resolution], 2**(self.J - resolution))
        return torch.fft.ifft2(low).real[:, 1:-1, 1:-1]

    def modulus(self, spectrum, j, t, resolution):
        wave = self.subsample(spectrum * self.psi[j, t, resolution], 2**(j - resolution))
        return torch.fft.fft2(torch.fft.ifft2(wave).abs())

    def __call__(self, images):
        after = self.padded - self.size - self.before
        x = torch.nn.functional.pad(images[:, None], (self.before, after, self.before, after), mode="reflect")[:, 0]
        spectrum = torch.fft.fft2(x)
        zeroth, first, second = [self.smooth(spectrum, 0)], [], []
        for j1 in range(self.J):
            for t1 in range(self.L):
                u1 = self.modulus(spectrum, j1, t1, 0)
                first.append(self.smooth(u1, j1))
                for j2 in range(j1 + 1, self.J):
                    for t2 in range(self.L):
                        second.append(self.smooth(self.modulus(u1, j2, t2, j1), j2))
        return torch.stack(zeroth + first + second, dim=1)
