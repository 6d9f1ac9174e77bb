"""Light, sky and a checkered ground, so that a picture of a scene shows what it should."""

from __future__ import annotations

import mujoco

STONE = (0.62, 0.60, 0.57, 1.0)


def ground(spec: mujoco.MjSpec) -> str:
    """Add light, sky and a checkered material to `spec` where it has none; return the material's name.

    Calling it again on the same spec adds nothing.
    """
    _sky(spec)
    _light(spec)
    if spec.material("ground") is None:
        spec.add_texture(
            name="ground",
            type=mujoco.mjtTexture.mjTEXTURE_2D,
            builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
            mark=mujoco.mjtMark.mjMARK_EDGE,
            rgb1=[0.80, 0.83, 0.85],
            rgb2=[0.71, 0.75, 0.78],
            markrgb=[0.88, 0.90, 0.92],
            width=64,
            height=64,
        )
        roles = [""] * mujoco.mjtTextureRole.mjNTEXROLE
        roles[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "ground"
        # One texture holds 2 x 2 squares and repeats 2.5 times a metre: squares of 0.2 m, which give the scale.
        spec.add_material(name="ground", textures=roles, texuniform=True, texrepeat=[2.5, 2.5])
    return "ground"


def _sky(spec: mujoco.MjSpec) -> None:
    if any(texture.type == mujoco.mjtTexture.mjTEXTURE_SKYBOX for texture in spec.textures):
        return
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=[0.86, 0.91, 0.96],
        rgb2=[0.55, 0.66, 0.78],
        width=16,
        height=96,
    )


def _light(spec: mujoco.MjSpec) -> None:
    if spec.lights:
        return
    spec.visual.headlight.ambient = [0.4, 0.4, 0.4]
    spec.visual.headlight.diffuse = [0.5, 0.5, 0.5]
    spec.visual.headlight.specular = [0.1, 0.1, 0.1]
    spec.worldbody.add_light(
        name="sun",
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        pos=[0, 0, 4],
        dir=[-0.3, 0.1, -1.0],
        diffuse=[0.55, 0.55, 0.55],
        specular=[0.2, 0.2, 0.2],
        castshadow=True,
    )
