"""A copy of a scene's model dressed to be looked at: light, sky, a checkered floor, colours for what has none."""

from __future__ import annotations

import mujoco
import numpy as np

from surefoot.robots.scene import Scene

_GREY = np.array([0.5, 0.5, 0.5, 1.0], dtype=np.float32)  # MuJoCo's colour of a geom that was given none
_BODY = (0.27, 0.35, 0.45, 1.0)
_LIMB = (0.72, 0.76, 0.80, 1.0)
_FOOT = (0.95, 0.55, 0.15, 1.0)
SUN = "surefoot_sun"
_OBJECT = (0.76, 0.60, 0.42, 1.0)


def dress(scene: Scene, width: int, height: int) -> mujoco.MjModel:
    """Compile a model to draw from; the scene itself is not touched, and positions mean the same in both.

    Args:
        scene: what to draw.
        width: of the picture, in pixels.
        height: of the picture, in pixels.

    Returns:
        A model with the same bodies, joints and geoms in the same order.
    """
    spec = scene.spec.copy()
    _floor_and_sky(spec)
    try:
        model = spec.compile()
    except ValueError:  # a file whose assets went away since it was loaded is still drawn, if plainly
        model = scene.model.__copy__()
    model.vis.global_.offwidth = max(width, model.vis.global_.offwidth)
    model.vis.global_.offheight = max(height, model.vis.global_.offheight)
    model.vis.quality.shadowsize = 2048
    model.vis.quality.offsamples = 4
    model.vis.headlight.ambient[:] = 0.35
    model.vis.headlight.diffuse[:] = 0.5
    model.vis.headlight.specular[:] = 0.1
    model.vis.map.shadowclip = 1.6  # the shadow map's edge, where it speckles, lies outside the picture
    model.vis.map.znear = 0.001
    _colours(scene, model)
    return model


def _floor_and_sky(spec: mujoco.MjSpec) -> None:
    if not any(texture.type == mujoco.mjtTexture.mjTEXTURE_SKYBOX for texture in spec.textures):
        spec.add_texture(
            name="surefoot_sky",
            type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
            builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
            rgb1=[0.86, 0.91, 0.96],
            rgb2=[0.55, 0.66, 0.78],
            width=256,
            height=1536,
        )
    if not spec.lights:
        spec.worldbody.add_light(
            name=SUN,
            type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
            pos=[0, 0, 4],
            dir=[-0.3, 0.1, -1.0],
            diffuse=[0.55, 0.55, 0.55],
            specular=[0.2, 0.2, 0.2],
            castshadow=True,
        )
    bare = [geom for geom in spec.geoms if _is_ground(geom) and not geom.material]
    if not bare:
        return
    spec.add_texture(
        name="surefoot_floor",
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
        mark=mujoco.mjtMark.mjMARK_EDGE,
        rgb1=[0.80, 0.83, 0.85],
        rgb2=[0.71, 0.75, 0.78],
        markrgb=[0.88, 0.90, 0.92],
        width=512,
        height=512,
    )
    textures = [""] * mujoco.mjtTextureRole.mjNTEXROLE
    textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "surefoot_floor"
    # One checker of 2 x 2 squares a 0.4 m: squares of 0.2 m, so that a look gives the scale.
    spec.add_material(name="surefoot_floor", textures=textures, texuniform=True, texrepeat=[2.5, 2.5])
    for geom in bare:
        geom.material = "surefoot_floor"
        geom.rgba = [1, 1, 1, 1]


def _is_ground(geom: mujoco.MjsGeom) -> bool:
    return geom.type in (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD)


def _colours(scene: Scene, model: mujoco.MjModel) -> None:
    """Colour by role each geom that the file left grey: base, limbs, feet, loose objects."""
    feet = {name for foot in scene.feet for name in foot.geoms}
    objects = {model.body(name).id for name in scene.objects}
    base = -1 if scene.base is None else model.body(scene.base).id
    for geom in range(model.ngeom):
        body = model.geom_bodyid[geom]
        if body == 0 or model.geom_matid[geom] >= 0 or not np.allclose(model.geom_rgba[geom], _GREY):
            continue
        if model.geom(geom).name in feet:
            colour = _FOOT
        elif body in objects or model.body_rootid[body] in objects:
            colour = _OBJECT
        else:
            colour = _BODY if body == base else _LIMB
        model.geom_rgba[geom] = colour
